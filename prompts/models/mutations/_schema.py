"""Errors against the schema."""

from collections.abc import Iterable, Iterator, Sequence

from kg.cypher import Edit, Node, ParsedQuery, Rule, relationship_patterns
from prompts.models.mutations._anchors import anchors
from prompts.models.mutations._invented import Kind, invented
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import (
    PROPERTY_NAME,
    last_return,
    matches,
    names_of,
    scope_before,
)


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
