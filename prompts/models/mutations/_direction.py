"""Errors in the direction of relationships."""

from collections.abc import Sequence

from kg.cypher import Edit, ParsedQuery, RelationshipPattern, relationship_patterns, reverse
from prompts.models.mutations._operator import Mutation, Operator


def _one_arrow(query: ParsedQuery) -> Sequence[Mutation]:
    found = [pattern for pattern in relationship_patterns(query) if not joins_like(pattern)]
    return [Mutation(edits) for pattern in found if (edits := reverse(pattern))]


def _all_of_a_type(query: ParsedQuery) -> Sequence[Mutation]:
    by_type: dict[tuple[str, ...], list[Edit]] = {}
    counts: dict[tuple[str, ...], int] = {}
    for pattern in relationship_patterns(query):
        edits = reverse(pattern)
        if edits and pattern.types and not joins_like(pattern):
            by_type.setdefault(pattern.types, []).extend(edits)
            counts[pattern.types] = counts.get(pattern.types, 0) + 1
    return [Mutation(tuple(edits)) for types, edits in by_type.items() if counts[types] > 1]


def _whole_path(query: ParsedQuery) -> Sequence[Mutation]:
    found = [pattern for pattern in relationship_patterns(query) if joins_like(pattern)]
    return [Mutation(edits) for pattern in found if (edits := reverse(pattern))]


def _no_arrow(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(*arrow, ""),))
        for pattern in relationship_patterns(query)
        if joins_like(pattern) and pattern.direction != "either"
        for arrow in (pattern.left_arrow, pattern.right_arrow)
        if arrow
    ]


def joins_like(pattern: RelationshipPattern) -> bool:
    """Whether a pattern is a path whose ends are of one kind, so that the schema allows either direction."""
    return pattern.length is not None and not pattern.length.quantifier


REVERSE_ARROW = Operator(
    "reverse_arrow", "turn one relationship's arrow round", "error", "traversal_direction", _one_arrow
)
REVERSE_TYPE = Operator(
    "reverse_type",
    "turn the arrows of all relationships of one type round",
    "error",
    "traversal_direction",
    _all_of_a_type,
)
REVERSE_PATH = Operator(
    "reverse_path",
    "turn a path round, so that the target is its start",
    "error",
    "endpoint_anchoring",
    _whole_path,
)
DROP_ARROW = Operator(
    "drop_arrow", "leave a path's direction open", "error", "traversal_direction", _no_arrow
)
