"""Errors in patterns: directions, ends of paths, relationship types and path lengths."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from retrocypher.kg.cypher.clauses import (
    LengthRange,
    RelationshipPattern,
    length_ranges,
    relationship_patterns,
    reverse,
)
from retrocypher.kg.cypher.edits import Edit
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.mutations.operator import (
    ELEMENT,
    Anchor,
    Mutation,
    Operator,
    anchors,
    error,
    make_operator,
    replaced,
)

_CONDITIONS = {"USES_AGENT": "USES_SOLVENT", "USES_SOLVENT": "USES_AGENT"}
_FROM_REACTION = ("PRODUCES", "USES_AGENT", "USES_SOLVENT")
_TO_REACTION = "REACTS_IN"

_Bounds = tuple[int, int | None]


@error("traversal_direction")
def reverse_arrow(query: ParsedQuery) -> Sequence[Mutation]:
    """Turn one relationship's arrow round."""
    found = [pattern for pattern in relationship_patterns(query) if not joins_like(pattern)]
    return [Mutation(edits) for pattern in found if (edits := reverse(pattern))]


@error("traversal_direction")
def reverse_type(query: ParsedQuery) -> Sequence[Mutation]:
    """Turn the arrows of all relationships of one type round."""
    by_type: dict[tuple[str, ...], list[Edit]] = {}
    counts: dict[tuple[str, ...], int] = {}
    for pattern in relationship_patterns(query):
        edits = reverse(pattern)
        if edits and pattern.types and not joins_like(pattern):
            by_type.setdefault(pattern.types, []).extend(edits)
            counts[pattern.types] = counts.get(pattern.types, 0) + 1
    return [Mutation(tuple(edits)) for types, edits in by_type.items() if counts[types] > 1]


@error("endpoint_anchoring")
def reverse_path(query: ParsedQuery) -> Sequence[Mutation]:
    """Turn a path round, so that the target is its start."""
    found = [pattern for pattern in relationship_patterns(query) if joins_like(pattern)]
    return [Mutation(edits) for pattern in found if (edits := reverse(pattern))]


@error("traversal_direction")
def drop_arrow(query: ParsedQuery) -> Sequence[Mutation]:
    """Leave a path's direction open."""
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


class _Path(NamedTuple):
    first: Node
    last: Node


@error("endpoint_anchoring")
def anchor_other_end(query: ParsedQuery) -> Iterator[Mutation]:
    """Anchor a path's other end, the target as its start."""
    found = anchors(query)
    for path in _paths(query):
        ends = [_anchors_of(query, found, end) for end in path]
        if bool(ends[0]) != bool(ends[1]):
            anchored = 0 if ends[0] else 1
            edits = _moved(query, ends[anchored], path[1 - anchored])
            yield from [Mutation(edits)] if edits else []


@error("endpoint_anchoring")
def swap_ends(query: ParsedQuery) -> Iterator[Mutation]:
    """Swap the molecules at the two ends of a path."""
    found = anchors(query)
    for path in _paths(query):
        ends = [_anchors_of(query, found, end) for end in path]
        if len(ends[0]) == len(ends[1]) == 1:
            one, other = ends[0][0].literal, ends[1][0].literal
            edits = (
                Edit(one.start, one.stop, query.source(other)),
                Edit(other.start, other.stop, query.source(one)),
            )
            yield Mutation(edits)


@error("endpoint_anchoring")
def target_reacts(query: ParsedQuery) -> Iterator[Mutation]:
    """Look for reactions that consume the target instead of making it."""
    yield from turned_at_anchors(query, "PRODUCES", "REACTS_IN")


def turned_at_anchors(query: ParsedQuery, written: str, other: str) -> Iterator[Mutation]:
    """Turn each relationship of a type round at a named molecule, and give it another type."""
    named = {anchor.variable for anchor in anchors(query)}
    for pattern in relationship_patterns(query):
        ends = [end for end in (pattern.left, pattern.right) if end]
        anchored = any(
            (end.variable in named and end.variable) or end.node.node("properties") for end in ends
        )
        edits = reverse(pattern)
        if pattern.types == (written,) and pattern.type_expression and anchored and edits:
            yield Mutation((*edits, Edit(*pattern.type_expression, f":{other}")))


def _paths(query: ParsedQuery) -> Iterator[_Path]:
    """Paths between molecules: of variable length, quantified, or with several relationships."""
    for element in query.root.find_all(ELEMENT):
        if element.within(Rule.MATCH_CLAUSE) is None or element.within("parenthesizedPath"):
            continue
        nodes = element.nodes(Rule.NODE_PATTERN)
        long = len(element.nodes(Rule.RELATIONSHIP_PATTERN)) > 1 or element.find(
            Rule.PATH_LENGTH, Rule.QUANTIFIER
        )
        if len(nodes) > 1 and long:
            yield _Path(nodes[0], nodes[-1])


def _anchors_of(query: ParsedQuery, found: Sequence[Anchor], end: Node) -> list[Anchor]:
    variable = end.node(Rule.VARIABLE)
    name = query.source(variable) if variable else None
    return [each for each in found if each.pattern is end or (name and each.variable == name)]


def _moved(query: ParsedQuery, found: Sequence[Anchor], end: Node) -> tuple[Edit, ...]:
    anchor = found[0]
    if anchor.pattern is not None:
        properties = anchor.pattern.node(Rule.PROPERTIES)
        if properties is None or end.node(Rule.PROPERTIES):
            return ()
        return (
            Edit(properties.start, properties.stop, ""),
            Edit(end.stop - 1, end.stop - 1, f" {query.source(properties)}"),
        )
    variable = end.node(Rule.VARIABLE)
    used = anchor.condition.find(Rule.VARIABLE) if anchor.condition else None
    if variable is None or used is None:
        return ()
    return (Edit(used.start, used.stop, query.source(variable)),)


@error("wrong_relationship")
def swap_conditions(query: ParsedQuery) -> Sequence[Mutation]:
    """Take the type of agents for solvents, or of solvents for agents."""
    return [
        Mutation((_typed(pattern, other),))
        for pattern in _single(query)
        if (other := _CONDITIONS.get(pattern.types[0]))
    ]


@error("wrong_relationship")
def wrong_type(query: ParsedQuery) -> Iterator[Mutation]:
    """Take another type of the schema that fits the same ends."""
    for pattern in _single(query):
        written = pattern.types[0]
        others = [each for each in _FROM_REACTION if each not in (written, _CONDITIONS.get(written))]
        if written in _FROM_REACTION:
            yield from [Mutation((_typed(pattern, other),)) for other in others]
        elif written == _TO_REACTION and pattern.direction != "either":
            turned = reverse(pattern)
            yield from [Mutation((*turned, _typed(pattern, other))) for other in _FROM_REACTION]


@error("wrong_relationship")
def drop_type(query: ParsedQuery) -> Sequence[Mutation]:
    """Follow relationships of any type."""
    return [
        Mutation((Edit(*pattern.type_expression, ""),))
        for pattern in relationship_patterns(query)
        if pattern.type_expression
    ]


@error("wrong_relationship")
def fewer_types(query: ParsedQuery) -> Sequence[Mutation]:
    """Follow one of a path's types only."""
    return [
        Mutation((_typed(pattern, each),))
        for pattern in relationship_patterns(query)
        if len(pattern.types) > 1
        for each in pattern.types
    ]


@error("wrong_relationship")
def more_types(query: ParsedQuery) -> Iterator[Mutation]:
    """Let a path follow agents or solvents too."""
    known = (_TO_REACTION, *_FROM_REACTION)
    for pattern in relationship_patterns(query):
        if len(pattern.types) < 2 or not set(pattern.types) <= set(known):
            continue
        missing = [each for each in known if each not in pattern.types]
        wider = [[each] for each in missing] + ([missing] if len(missing) > 1 else [])
        yield from [Mutation((_typed(pattern, "|".join([*pattern.types, *more])),)) for more in wider]


def _single(query: ParsedQuery) -> list[RelationshipPattern]:
    return [pattern for pattern in relationship_patterns(query) if len(pattern.types) == 1]


def _typed(pattern: RelationshipPattern, types: str) -> Edit:
    if pattern.type_expression is None:
        raise ValueError("a pattern without types has none to change")
    return Edit(*pattern.type_expression, f":{types}")


def _length_error(other: Callable[[LengthRange], Iterable[_Bounds]]) -> Operator:
    """Make a function that returns other bounds for a length an operator."""

    def mutations(query: ParsedQuery) -> list[Mutation]:
        return [
            replaced(each, _written(each, *bounds)) for each in length_ranges(query) for bounds in other(each)
        ]

    return make_operator(other, mutations, "error", "path_length")


@_length_error
def change_length(length: LengthRange) -> Sequence[_Bounds]:
    """Make a path one step longer or shorter."""
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


@_length_error
def change_hops(length: LengthRange) -> Sequence[_Bounds]:
    """Make a path one relationship longer or shorter."""
    count = length.maximum
    if length.quantifier or count is None or count != length.minimum:
        return []
    return [(hops, hops) for hops in (count - 1, count + 1) if hops > 0]


@_length_error
def double_length(length: LengthRange) -> Sequence[_Bounds]:
    """Make a path twice as long."""
    if length.maximum is None:
        return []
    least = 2 * length.minimum if length.minimum == length.maximum else length.minimum
    return [(least, 2 * length.maximum)]


@_length_error
def steps_for_hops(length: LengthRange) -> Sequence[_Bounds]:
    """Take the number of steps for that of relationships, which is twice that."""
    count = length.maximum
    if count is None or count != length.minimum or count % 2:
        return []
    return [(count // 2, count // 2)]


@_length_error
def unbounded_length(length: LengthRange) -> Sequence[_Bounds]:
    """Leave out a path's upper bound."""
    return [] if length.maximum is None else [(1, None), (length.maximum, None)]


@_length_error
def length_range(length: LengthRange) -> Sequence[_Bounds]:
    """Allow shorter paths too."""
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
