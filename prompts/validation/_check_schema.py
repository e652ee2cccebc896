"""What contradicts the schema, whatever was asked."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from kg.reading.model import (
    Call,
    EdgeReading,
    EdgeTerm,
    Element,
    GroupTerm,
    NodeTerm,
    QueryModel,
    Use,
)
from kg.schema import Schema
from prompts.validation._case import Case, names
from prompts.validation._model import Finding


def check_schema(reading: QueryModel, schema: Schema) -> Iterator[Finding]:
    """Labels, types and properties that there are not."""
    for use in reading.labels:
        if not schema.has_label(use.name) and not (
            isinstance(use.of, EdgeTerm) and schema.has_type(use.name)
        ):
            yield _unknown("label", use, list(schema.labels))
    for use in reading.types:
        if not schema.has_type(use.name):
            yield _unknown("type", use, list(schema.types))
    for use in reading.properties:
        if not (isinstance(use.of, EdgeTerm) and use.name in schema.properties):
            yield from _property(use, reading, schema)


def check_edge_properties(case: Case, found: Sequence[Finding]) -> Iterator[Finding]:
    """Properties of other relationships, where the pattern is not wrong for another reason."""
    wrong = {(finding.start, finding.stop) for finding in found}
    for use in case.reading.properties:
        if isinstance(use.of, EdgeTerm) and use.name in case.schema.properties:
            edge = case.reading.edges[use.of.key]
            if (edge.start_offset, edge.stop_offset) not in wrong:
                yield from _property(use, case.reading, case.schema)


def _unknown(kind: str, use: Use, known: list[str]) -> Finding:
    near = get_close_matches(use.name, known, 1)
    word = "label" if kind == "label" else "relationship type"
    advice = f"Perhaps `{near[0]}` is meant." if near else f"There are {names(sorted(known))}."
    return Finding(
        f"schema_violation:{kind}",
        f"The schema has no {word} `{use.name}`. {advice}",
        use.start,
        use.stop,
    )


def _property(use: Use, reading: QueryModel, schema: Schema) -> Iterator[Finding]:
    of = use.of
    if isinstance(of, GroupTerm):
        of = of.of
    match of:
        case NodeTerm(key):
            node = reading.nodes[key]
            unknown = node.written - schema.labels.keys()
            sure = node.written or all(
                edge.agreement == "as_written" for edge in reading.edges if key in (edge.start, edge.end)
            )
            owners = [] if unknown or not sure else sorted(node.labels)
            known = {name for owner in owners for name in schema.labels.get(owner, {})}
        case EdgeTerm(key):
            owners = sorted(kind for kind in reading.edges[key].types if schema.has_type(kind))
            known = {name for owner in owners for name in schema.types[owner]}
        case Element(Call("nodes" | "relationships", _), _):
            owners, known = [], set()
        case _:
            return
    if use.name in (known if owners else schema.properties):
        return
    at = f"`{names(owners)}`" if owners else "anything in the schema"
    has = (
        f"It has {names([f'`{name}`' for name in sorted(known)])}." if known else _elsewhere(use.name, schema)
    )
    yield Finding(
        "schema_violation:property",
        f"`{use.name}` is no property of {at}. {has}",
        use.start,
        use.stop,
    )


def _elsewhere(name: str, schema: Schema) -> str:
    owners = [*schema.labels_with(name), *schema.types_with(name)]
    if owners:
        return f"It is a property of {names(sorted(owners))}."
    return f"The properties are {names(sorted(schema.properties))}."


def check_edges(case: Case) -> Iterator[Finding]:
    """Arrows that run against the schema, and ends that are never joined."""
    for edge in case.reading.edges:
        known = all(case.schema.has_type(kind) for kind in edge.types)
        if edge.agreement == "turned" and known:
            yield _turned(case, edge)
        elif edge.agreement == "never" and known and edge.written_hops.exact == 1 and not edge.inner:
            yield _never(case, edge)


def _turned(case: Case, edge: EdgeReading) -> Finding:
    ends = [case.reading.nodes[key] for key in (edge.start, edge.end)]
    shown = case.written_pattern(edge)
    meant = {case.domain.hint(end.variable) for end in ends} - {None}
    for name in sorted(hint for hint in meant if hint is not None):
        component = case.domain.components.get("products" if name == "co_products" else name)
        if component is None or component.type in edge.types or edge.written_hops.exact != 1:
            continue
        if case.schema.allows(_one(ends[0].labels), component.type, _one(ends[1].labels)):
            return case.finding(
                "wrong_relationship",
                f"{shown} does not give the {name}: `{type_names(edge)}` runs the other way and is another "
                "role. "
                f"Use `{component.type}` there.",
                edge,
            )
    right = " or ".join(
        f"(:{start})-[:{kind}]->(:{end})"
        for start, kind, end in sorted(case.schema.edges)
        if kind in edge.types or not edge.types
    )
    return case.finding(
        "traversal_direction",
        f"The arrow of {shown} runs against the schema, so nothing is found. Turn it: the schema has "
        f"{right}.",
        edge,
    )


def _never(case: Case, edge: EdgeReading) -> Finding:
    right = " or ".join(
        f"(:{start})-[:{kind}]->(:{end})"
        for start, kind, end in sorted(case.schema.edges)
        if kind in edge.types
    )
    between = f"The schema has {right}." if right else "No relationship joins nodes of these labels."
    return case.finding(
        "schema_violation:edge",
        f"{case.written_pattern(edge)} joins nodes that `{type_names(edge)}` never joins. {between}",
        edge,
    )


def type_names(edge: EdgeReading) -> str:
    """The types of an edge, for a message."""
    return "|".join(sorted(edge.types)) or "any type"


def _one(labels: frozenset[str]) -> str | None:
    return next(iter(labels)) if len(labels) == 1 else None
