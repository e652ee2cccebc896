"""Errors in the direction of relationships."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import yaml

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
    PROPERTY_NAME,
    Mutation,
    Operator,
    anchors,
    last_return,
    matches,
    names_of,
    scope_before,
)


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


_CONDITIONS = {"USES_AGENT": "USES_SOLVENT", "USES_SOLVENT": "USES_AGENT"}
_FROM_REACTION = ("PRODUCES", "USES_AGENT", "USES_SOLVENT")
_TO_REACTION = "REACTS_IN"


def _conditions_swapped(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((_typed(pattern, other),))
        for pattern in _single(query)
        if (other := _CONDITIONS.get(pattern.types[0]))
    ]


def _other_type(query: ParsedQuery) -> Sequence[Mutation]:
    """Types that the same end may have, so that the error is in the type and not in the direction."""
    found = []
    for pattern in _single(query):
        written = pattern.types[0]
        others = [each for each in _FROM_REACTION if each not in (written, _CONDITIONS.get(written))]
        if written in _FROM_REACTION:
            found += [Mutation((_typed(pattern, other),)) for other in others]
        elif written == _TO_REACTION and pattern.direction != "either":
            turned = reverse(pattern)
            found += [Mutation((*turned, _typed(pattern, other))) for other in _FROM_REACTION]
    return found


def _no_type(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(*pattern.type_expression, ""),))
        for pattern in relationship_patterns(query)
        if pattern.type_expression
    ]


def _fewer_types(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((_typed(pattern, each),))
        for pattern in relationship_patterns(query)
        if len(pattern.types) > 1
        for each in pattern.types
    ]


def _more_types(query: ParsedQuery) -> Sequence[Mutation]:
    known = (_TO_REACTION, *_FROM_REACTION)
    found = []
    for pattern in relationship_patterns(query):
        if len(pattern.types) < 2 or not set(pattern.types) <= set(known):
            continue
        missing = [each for each in known if each not in pattern.types]
        wider = [[each] for each in missing] + ([missing] if len(missing) > 1 else [])
        found += [Mutation((_typed(pattern, "|".join([*pattern.types, *more])),)) for more in wider]
    return found


def _single(query: ParsedQuery) -> list[RelationshipPattern]:
    return [pattern for pattern in relationship_patterns(query) if len(pattern.types) == 1]


def _typed(pattern: RelationshipPattern, types: str) -> Edit:
    if pattern.type_expression is None:
        raise ValueError("a pattern without types has none to change")
    return Edit(*pattern.type_expression, f":{types}")


SWAP_CONDITIONS = Operator(
    "swap_conditions",
    "take the type of agents for solvents, or of solvents for agents",
    "error",
    "wrong_relationship",
    _conditions_swapped,
)
WRONG_TYPE = Operator(
    "wrong_type",
    "take another type of the schema that fits the same ends",
    "error",
    "wrong_relationship",
    _other_type,
)
DROP_TYPE = Operator("drop_type", "follow relationships of any type", "error", "wrong_relationship", _no_type)
FEWER_TYPES = Operator(
    "fewer_types", "follow one of a path's types only", "error", "wrong_relationship", _fewer_types
)
MORE_TYPES = Operator(
    "more_types", "let a path follow agents or solvents too", "error", "wrong_relationship", _more_types
)


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


Kind = Literal["labels", "types", "properties", "functions"]


@cache
def invented(kind: Kind) -> Mapping[str, Sequence[str]]:
    """Return, by each name of a kind, names that are not in the schema or the language."""
    text = Path(__file__).with_name("invented.yaml").read_text(encoding="utf-8")
    names: Mapping[str, Sequence[str]] = yaml.safe_load(text)[kind]
    return names


def _anchor_property(query: ParsedQuery) -> Sequence[Mutation]:
    places = {anchor.name.start: anchor.name for anchor in anchors(query)}
    return list(_replaced(query, places.values(), "properties", "property"))


def _returned_property(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    names = names_of(query, PROPERTY_NAME, clause.node) if clause else []
    return list(_replaced(query, names, "properties", "property"))


def _yield_elsewhere(query: ParsedQuery) -> Sequence[Mutation]:
    """A yield is looked for on the reaction or the molecule that its relationship joins."""
    found = []
    for pattern in relationship_patterns(query):
        for end in (pattern.left, pattern.right):
            uses = [
                name
                for name in names_of(query, PROPERTY_NAME)
                if query.source(name) == "yield" and _owner(query, name) == pattern.variable
            ]
            if pattern.variable and end and end.variable and uses:
                places = [name.start - 1 - len(pattern.variable) for name in uses]
                edits = tuple(Edit(at, at + len(pattern.variable), end.variable) for at in places)
                found.append(Mutation(edits, "property"))
    return found


def _owner(query: ParsedQuery, name: Node) -> str | None:
    holder = name.within("expression2")
    variable = holder.find(Rule.VARIABLE) if holder else None
    return query.source(variable) if variable and variable.stop == name.start - 1 else None


def _labels(query: ParsedQuery) -> Sequence[Mutation]:
    names = [
        name
        for expression in query.root.find_all(Rule.LABEL_EXPRESSION)
        if expression.within(Rule.RELATIONSHIP_PATTERN) is None
        for name in names_of(query, Rule.SYMBOLIC_NAME, expression)
    ]
    return list(_replaced(query, names, "labels", "label"))


def _types(query: ParsedQuery) -> Sequence[Mutation]:
    names = [
        name
        for expression in query.root.find_all(Rule.LABEL_EXPRESSION)
        if expression.within(Rule.RELATIONSHIP_PATTERN)
        for name in names_of(query, Rule.SYMBOLIC_NAME, expression)
    ]
    return list(_replaced(query, names, "types", "type"))


def _molecules_joined(query: ParsedQuery) -> Sequence[Mutation]:
    """A component is joined with the molecule asked for, as if no reaction stood between them."""
    named = [anchor.variable for anchor in anchors(query) if anchor.variable]
    found = []
    for clause in matches(query)[1:]:
        scope = scope_before(query, clause)
        for pattern in relationship_patterns(query):
            inside = clause.start <= pattern.start < clause.stop
            for end in (pattern.left, pattern.right):
                name = end.node.node(Rule.VARIABLE) if end and end.variable in scope else None
                if inside and name and named and named[0] in scope and query.source(name) not in named:
                    found.append(Mutation((Edit(name.start, name.stop, named[0]),), "edge"))
    return found


def _replaced(query: ParsedQuery, names: Iterable[Node], kind: Kind, detail: str) -> Iterator[Mutation]:
    for name in names:
        for other in invented(kind).get(query.source(name), ()):
            yield Mutation((Edit(name.start, name.stop, other),), detail)


ANCHOR_PROPERTY = Operator(
    "anchor_property",
    "look a molecule up by a property that the schema does not have",
    "error",
    "schema_violation",
    _anchor_property,
)
RETURNED_PROPERTY = Operator(
    "returned_property",
    "return a property that the schema does not have",
    "error",
    "schema_violation",
    _returned_property,
)
YIELD_ELSEWHERE = Operator(
    "yield_elsewhere",
    "take the yield for a property of a node",
    "error",
    "schema_violation",
    _yield_elsewhere,
)
INVENTED_LABEL = Operator("invented_label", "invent a label", "error", "schema_violation", _labels)
INVENTED_TYPE = Operator("invented_type", "invent a relationship type", "error", "schema_violation", _types)
JOIN_MOLECULES = Operator(
    "join_molecules",
    "join two molecules directly, without the reaction between them",
    "error",
    "schema_violation",
    _molecules_joined,
)
