"""Errors in the length of paths."""

from collections.abc import Callable, Iterable, Sequence

from kg.cypher import Edit, LengthRange, ParsedQuery, length_ranges
from prompts.models.mutations._operator import Mutation, Operator

_Bounds = tuple[int, int | None]


def _changed(other: Callable[[LengthRange], Iterable[_Bounds]]) -> Callable[[ParsedQuery], list[Mutation]]:
    def mutations(query: ParsedQuery) -> list[Mutation]:
        return [
            Mutation((Edit(each.start, each.stop, _written(each, *bounds)),))
            for each in length_ranges(query)
            for bounds in other(each)
        ]

    return mutations


def _one_step(length: LengthRange) -> Sequence[_Bounds]:
    # A reaction step is two relationships, and a quantifier mostly repeats a step as a whole.
    step = 1 if length.quantifier else 2
    lowest = 0 if length.minimum == 0 else 1
    if length.maximum is None:
        return [(length.minimum + step, None)]
    fixed = length.minimum == length.maximum
    changed = [length.maximum - step, length.maximum + step]
    return [
        (count if fixed else length.minimum, count)
        for count in changed
        if count >= (lowest if fixed else length.minimum) and count > 0
    ]


def _one_hop(length: LengthRange) -> Sequence[_Bounds]:
    count = length.maximum
    if length.quantifier or count is None or count != length.minimum:
        return []
    return [(hops, hops) for hops in (count - 1, count + 1) if hops > 0]


def _doubled(length: LengthRange) -> Sequence[_Bounds]:
    if length.maximum is None:
        return []
    least = 2 * length.minimum if length.minimum == length.maximum else length.minimum
    return [(least, 2 * length.maximum)]


def _halved(length: LengthRange) -> Sequence[_Bounds]:
    count = length.maximum
    if count is None or count != length.minimum or count % 2:
        return []
    return [(count // 2, count // 2)]


def _unbounded(length: LengthRange) -> Sequence[_Bounds]:
    return [] if length.maximum is None else [(1, None), (length.maximum, None)]


def _range(length: LengthRange) -> Sequence[_Bounds]:
    count = length.maximum
    if count is None or count != length.minimum or count < 2:
        return []
    return [(1, count), (2, count)] if count > 2 else [(1, count)]


def _written(length: LengthRange, minimum: int, maximum: int | None) -> str:
    if minimum == maximum:
        return f"{{{minimum}}}" if length.quantifier else f"*{minimum}"
    if length.quantifier:
        return f"{{{minimum},{'' if maximum is None else maximum}}}"
    if maximum is None:
        return "*" if minimum == 1 else f"*{minimum}.."
    return f"*{minimum}..{maximum}"


def _operator(name: str, summary: str, other: Callable[[LengthRange], Iterable[_Bounds]]) -> Operator:
    return Operator(name, summary, "error", "path_length", _changed(other))


CHANGE_LENGTH = _operator("change_length", "make a path one step longer or shorter", _one_step)
CHANGE_HOPS = _operator("change_hops", "make a path one relationship longer or shorter", _one_hop)
DOUBLE_LENGTH = _operator("double_length", "make a path twice as long", _doubled)
STEPS_FOR_HOPS = _operator(
    "steps_for_hops", "take the number of steps for that of relationships, which is twice that", _halved
)
UNBOUNDED_LENGTH = _operator("unbounded_length", "leave out a path's upper bound", _unbounded)
LENGTH_RANGE = _operator("length_range", "allow shorter paths too", _range)
