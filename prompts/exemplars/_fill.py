"""An exemplar's placeholders, and what of a question goes into them."""

import re
from collections.abc import Mapping
from typing import Any

from kg.cypher import quote
from prompts.exemplars._model import Exemplar

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
