"""What an exemplar is."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.questions.question import Setting


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A question and its Cypher, shown to a model in one-shot prompting.

    Attributes:
        id: Stable identifier, on the record of each case that shows it.
        setting: The bank it belongs to.
        task: Name of the forward task, e.g. ``Product Identification``.
        question: The question as shown: placeholders in place of molecules, the step count written out.
        intent: What kind of thing the question asks for, as matched by 1S-D-S.
        cypher: The query as shown, with the same placeholders.
        pattern: The query with ``<STEPS>`` and ``<HOPS>`` still open, for `fill`.
        steps: The step count shown; None in the single-step bank.
    """

    id: str
    setting: Setting
    task: str
    question: str
    intent: str
    cypher: str
    pattern: str = ""
    steps: int | None = None


MOLECULE = re.compile(r"'<MOLECULE(?:_(\d))?>'")


def placeholder(position: int, count: int) -> str:
    """Return what stands for a molecule in text.

    Args:
        position: Which of the molecules, from 0.
        count: How many molecules the text names.
    """
    return "<MOLECULE>" if count == 1 else f"<MOLECULE_{position + 1}>"


def molecules_of(slots: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the molecules a question names: the start before the target, several products in their order."""
    start = [slots["start"]] if slots.get("start") else []
    ends = slots.get("products") or ([slots["target"]] if slots.get("target") else [])
    return tuple(dict.fromkeys([*start, *ends]))


def write_steps(text: str, steps: int | None) -> str:
    """Write a step count where ``<STEPS>`` stands, and twice that where ``<HOPS>`` stands."""
    return text if steps is None else text.replace("<STEPS>", str(steps)).replace("<HOPS>", str(2 * steps))


def fill(exemplar: Exemplar, slots: Mapping[str, Any]) -> str | None:
    """Return an exemplar's query about a question's molecules and steps.

    ``<MOLECULE>`` takes the first molecule the question names, ``<MOLECULE_n>`` the n-th; ``<STEPS>`` takes
    its step count and ``<HOPS>`` twice that. A molecule of the question without a placeholder is left out.

    Args:
        exemplar: The exemplar.
        slots: What the question's template was filled with.

    Returns:
        The query; None where the question has nothing for one of the placeholders.
    """
    names = molecules_of(slots)
    needed = {int(match[1] or 1) for match in MOLECULE.finditer(exemplar.pattern)}
    steps = slots.get("steps")
    if max(needed, default=0) > len(names) or (exemplar.steps is not None and steps is None):
        return None
    query = write_steps(exemplar.pattern, None if exemplar.steps is None else steps)
    return MOLECULE.sub(lambda match: quote(names[int(match[1] or 1) - 1]), query)


HERE = Path(__file__).parent


@cache
def load_bank(setting: Setting) -> tuple[Exemplar, ...]:
    """Return the exemplars of a setting, in bank order (the paper's figure A1)."""
    entries = yaml.safe_load((HERE / f"{setting}.yaml").read_text(encoding="utf-8"))
    return tuple(_exemplar(setting, entry) for entry in entries)


def bank_sha256(setting: Setting) -> str:
    """Return the hash of a setting's bank: of its file as it stands."""
    return hashlib.sha256((HERE / f"{setting}.yaml").read_bytes()).hexdigest()


def _exemplar(setting: Setting, entry: dict[str, Any]) -> Exemplar:
    steps = entry.get("steps")
    pattern = entry["cypher"].strip()
    return Exemplar(
        id=entry["id"],
        setting=setting,
        task=entry["task"],
        question=write_steps(entry["question"], steps),
        intent=entry["intent"],
        cypher=write_steps(pattern, steps),
        pattern=pattern,
        steps=steps,
    )
