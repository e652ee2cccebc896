"""What a question of the benchmark asks, from its own slots and not from its words."""

from typing import cast

from kg.questions import Question
from prompts.validation import Asked, AskedMolecule, Intent


def asked_of(question: Question) -> Asked:
    """Return what a question asks."""
    slots = question.slots
    molecules = [AskedMolecule(name, "product") for name in slots.get("products", ())]
    if "start" in slots:
        molecules.append(AskedMolecule(slots["start"], "start"))
    if "target" in slots:
        molecules.append(AskedMolecule(slots["target"], "target"))
    return Asked(
        intent=cast(Intent, question.task),
        molecules=tuple(molecules),
        steps=question.steps if question.setting == "multi_step" else None,
        components=frozenset({slots["role"]} if "role" in slots else ()),
    )
