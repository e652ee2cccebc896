"""Errors in the length of paths."""

from collections.abc import Sequence

from kg.cypher import Edit, LengthRange, ParsedQuery, length_ranges
from prompts.models.mutations._operator import Mutation, Operator


def _one_step_more_or_less(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        (Edit(each.start, each.stop, text),) for each in length_ranges(query) for text in _other_lengths(each)
    ]


def _other_lengths(length: LengthRange) -> list[str]:
    # A reaction step is two relationships, and a quantifier mostly repeats a step as a whole.
    step = 1 if length.quantifier else 2
    lowest = 0 if length.minimum == 0 else 1
    if length.maximum is None:
        return [_written(length, length.minimum + step, None)]
    fixed = length.minimum == length.maximum
    changed = [length.maximum - step, length.maximum + step]
    return [
        _written(length, count if fixed else length.minimum, count)
        for count in changed
        if count >= (lowest if fixed else length.minimum) and count > 0
    ]


def _written(length: LengthRange, minimum: int, maximum: int | None) -> str:
    if minimum == maximum:
        return f"{{{minimum}}}" if length.quantifier else f"*{minimum}"
    most = "" if maximum is None else str(maximum)
    return f"{{{minimum},{most}}}" if length.quantifier else f"*{minimum}..{most}"


CHANGE_LENGTH = Operator("change_length", "make a path one step longer or shorter", _one_step_more_or_less)
