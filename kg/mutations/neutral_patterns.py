"""Neutral rewrites of names and patterns."""

import itertools
from collections.abc import Iterator, Mapping, Sequence

from retrocypher.kg.cypher.clauses import Clause, RelationshipPattern, relationship_patterns, reverse
from retrocypher.kg.cypher.edits import Edit, Span, apply_edits
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.mutations.operator import (
    ELEMENT,
    PATTERN,
    Anchor,
    Mutation,
    anchors,
    body,
    calls,
    component_of,
    conjuncts,
    data,
    end_before,
    inserted,
    last_return,
    main_clauses,
    matches,
    neutral,
    where_of,
    without_conjunct,
)

_HOLDERS = (PATTERN, Rule.NODE_PATTERN, Rule.RELATIONSHIP_PATTERN, "listComprehension")
_ROUTE = {"REACTS_IN", "PRODUCES"}


@neutral
def rename_variables(query: ParsedQuery) -> Sequence[Mutation]:
    """Call the variables by other names."""
    bound = dict.fromkeys(
        query.source(variable)
        for holder in query.root.find_all(*_HOLDERS)
        if (variable := holder.node(Rule.VARIABLE))
    )
    taken = {token.text for token in query.tokens}
    found = []
    for rename in (_initials, _numbered, _longer):
        names = rename(list(bound))
        if taken.isdisjoint(names.values()) and len(set(names.values())) == len(names):
            found.append(Mutation(_renamed(query, names)))
    return [each for each in found if each.edits]


def _initials(names: Sequence[str]) -> dict[str, str]:
    short: dict[str, str] = {}
    for name in names:
        first = name[0].lower()
        count = sum(each.rstrip("0123456789") == first for each in short.values())
        short[name] = f"{first}{count + 1}"
    return short


def _numbered(names: Sequence[str]) -> dict[str, str]:
    return {name: f"n{place}" for place, name in enumerate(names)}


def _longer(names: Sequence[str]) -> dict[str, str]:
    return {name: f"the{name[0].upper()}{name[1:]}" for name in names}


def _renamed(query: ParsedQuery, names: Mapping[str, str]) -> tuple[Edit, ...]:
    """Names after AS stay where they name a column of the result."""
    clause = last_return(query)
    columns = {
        alias.start for item in (clause.items if clause else ()) if (alias := item.node.node(Rule.VARIABLE))
    }
    return tuple(
        Edit(variable.start, variable.stop, names[query.source(variable)])
        for variable in query.root.find_all(Rule.VARIABLE)
        if variable.start not in columns and query.source(variable) in names
    )


@neutral
def rename_columns(query: ParsedQuery) -> Iterator[Mutation]:
    """Call the columns by other names."""
    clause = last_return(query)
    if clause is None:
        return
    for place in range(3):
        edits = []
        for item in clause.items:
            others = data("columns.yaml").get(component_of(query, item), ())
            alias = item.node.node(Rule.VARIABLE)
            if place >= len(others):
                continue
            if alias:
                edits.append(Edit(alias.start, alias.stop, others[place]))
            else:
                edits.append(Edit(item.stop, item.stop, f" AS {others[place]}"))
        if edits:
            yield Mutation(tuple(edits))


@neutral
def flip_pattern(query: ParsedQuery) -> Iterator[Mutation]:
    """Write an edge from its other side."""
    for element in query.root.find_all(ELEMENT):
        text = _from_the_other_side(query, element)
        if text is None:
            continue
        pattern = element.within(PATTERN)
        path = pattern.node(Rule.VARIABLE) if pattern else None
        name = query.source(path) if path else None
        turned = [call for call in calls(query.root, "nodes") if name and name in query.source(call)]
        if name is None or turned:
            edits = [Edit(element.start, element.stop, text)]
            for call in turned:
                edits += [Edit(call.start, call.start, "reverse("), Edit(call.stop, call.stop, ")")]
            yield Mutation(tuple(edits))


def _from_the_other_side(query: ParsedQuery, element: Node) -> str | None:
    patterns = {pattern.start: pattern for pattern in relationship_patterns(query)}
    parts = element.nodes()
    simple = (Rule.NODE_PATTERN, Rule.RELATIONSHIP_PATTERN)
    if len(parts) < 3 or any(part.rule not in simple for part in parts):
        return None
    return "".join(
        _turned(query, patterns[part.start]) if part.start in patterns else query.source(part)
        for part in reversed(parts)
    )


def _turned(query: ParsedQuery, pattern: RelationshipPattern) -> str:
    edits = [Edit(at - pattern.start, to - pattern.start, text) for at, to, text in reverse(pattern)]
    return apply_edits(query.text[pattern.start : pattern.stop], edits)


@neutral
def drop_labels(query: ParsedQuery) -> Sequence[Mutation]:
    """Leave out labels that the relationships imply."""
    nodes = {
        end.start: label
        for pattern in relationship_patterns(query)
        for end in (pattern.left, pattern.right)
        if end and end.variable and not end.node.node(Rule.PROPERTIES)
        if (label := end.node.node(Rule.LABEL_EXPRESSION))
    }
    edits = [Edit(label.start, label.stop, "") for label in nodes.values()]
    return [*(Mutation((edit,)) for edit in edits), *([Mutation(tuple(edits))] if len(edits) > 1 else [])]


@neutral
def add_labels(query: ParsedQuery) -> Iterator[Mutation]:
    """Write labels that the relationships imply."""
    for pattern in relationship_patterns(query):
        if pattern.length or len(pattern.types) != 1 or pattern.direction == "either":
            continue
        start, end = (pattern.left, pattern.right)[:: 1 if pattern.direction == "right" else -1]
        reaction = end if pattern.types[0] == "REACTS_IN" else start
        for node in (start, end):
            if node and not node.labels and node.variable:
                label = "Reaction" if node is reaction else "Molecule"
                at = node.start + 1 + len(node.variable)
                yield inserted(at, f":{label}")


@neutral
def write_out_path(query: ParsedQuery) -> Iterator[Mutation]:
    """Write a path step by step or as a quantified one."""
    for pattern in relationship_patterns(query):
        length = pattern.length
        fits = set(pattern.types) == _ROUTE and pattern.direction == "right" and not pattern.variable
        if length is None or length.quantifier or not fits or length.minimum != length.maximum:
            continue
        steps, odd = divmod(length.minimum, 2)
        if odd or not steps or not (pattern.left and pattern.right):
            continue
        step = "-[:REACTS_IN]->(:Reaction)-[:PRODUCES]->(:Molecule)"
        quantified = f" ((:Molecule){step}){{{steps}}} "
        with_labels = (step * steps)[: -len("(:Molecule)")]
        plain = with_labels.replace("(:Reaction)", "()").replace("(:Molecule)", "()")
        span = pattern.start, pattern.stop
        yield from [Mutation((Edit(*span, text),)) for text in (quantified, with_labels, plain)]


@neutral
def map_to_where(query: ParsedQuery) -> Iterator[Mutation]:
    """Move a property map to WHERE."""
    for clause in matches(query):
        held = [
            anchor
            for anchor in anchors(query)
            if anchor.pattern and anchor.variable and clause.start <= anchor.literal.start < clause.stop
        ]
        moved = [anchor for anchor in held if anchor.pattern and _pairs(anchor.pattern) == 1]
        conditions = " AND ".join(
            f"{each.variable}.{query.source(each.name)} = {query.source(each.literal)}" for each in moved
        )
        patterns = body(clause).node("patternList")
        if conditions and patterns:
            edits = [_properties_out(query, each.pattern) for each in moved if each.pattern]
            where = where_of(clause)
            if where:
                at = conjuncts(where)[0].start
                edits.append(Edit(at, at, f"{conditions} AND "))
            else:
                edits.append(Edit(patterns.stop, patterns.stop, f"\nWHERE {conditions}"))
            yield Mutation(tuple(edits))


def _pairs(pattern: Node) -> int:
    properties = pattern.node(Rule.PROPERTIES)
    return len(list(properties.find_all("propertyKeyName"))) if properties else 0


def _properties_out(query: ParsedQuery, pattern: Node) -> Edit:
    properties = pattern.node(Rule.PROPERTIES)
    if properties is None:
        raise ValueError("a node pattern without properties holds no anchor")
    return Edit(end_before(query, properties.start), properties.stop, "")


@neutral
def where_to_map(query: ParsedQuery) -> Iterator[Mutation]:
    """Move a condition of WHERE to a property map."""
    for clause in matches(query):
        where = where_of(clause)
        for index, condition in enumerate(conjuncts(where) if where else []):
            names = [token.name for token in condition.tokens()]
            for anchor in anchors(query):
                node = _bound_in(query, clause, anchor.variable) if _is(anchor.condition, condition) else None
                if where is None or node is None or names[3:4] != ["EQ"] or len(names) != 5:
                    continue
                text = f" {{{query.source(anchor.name)}: {query.source(anchor.literal)}}}"
                at = node.stop - 1
                yield Mutation((Edit(at, at, text), without_conjunct(query, where, index)))


def _is(one: Node | None, other: Node) -> bool:
    return one is not None and (one.start, one.stop) == (other.start, other.stop)


def _bound_in(query: ParsedQuery, clause: Clause, name: str | None) -> Node | None:
    for pattern in relationship_patterns(query):
        for end in (pattern.left, pattern.right):
            inside = end and clause.start <= end.start < clause.stop
            if end and inside and end.variable == name and not end.node.node(Rule.PROPERTIES):
                return end.node
    return None


@neutral
def pattern_for_each(query: ParsedQuery) -> Sequence[Mutation]:
    """Ask for all molecules by a pattern each."""
    for first, second in itertools.pairwise(main_clauses(query)):
        counted = any(True for item in second.items for _ in calls(item.node, "count"))
        if first.kind != "MATCH" or second.kind != "WITH" or not counted or not where_of(second):
            continue
        patterns = [each for each in relationship_patterns(query) if first.start <= each.start < first.stop]
        listed = [each for each in anchors(query) if first.start <= each.literal.start < first.stop]
        if len(patterns) == 1 and listed and all(each.condition for each in listed):
            return _for_each(query, patterns[0], listed, Span(first.start, second.stop))
    return []


def _for_each(
    query: ParsedQuery, pattern: RelationshipPattern, listed: Sequence[Anchor], span: Span
) -> list[Mutation]:
    ends = [end for end in (pattern.left, pattern.right) if end]
    molecule = next((end for end in ends if end.variable == listed[0].variable), None)
    reaction = next((end for end in ends if end is not molecule), None)
    if molecule is None or reaction is None:
        return []
    whole = query.text[ends[0].start : ends[-1].stop]
    written, named = query.source(molecule.node), [query.source(each.literal) for each in listed]
    each = [whole.replace(written, f"(:Molecule {{name: {name}}})") for name in named]
    conditions = "\n  AND ".join(f"EXISTS {{ {text} }}" for text in each)
    asked = f"MATCH {query.source(reaction.node)}\nWHERE {conditions}"
    return [Mutation((Edit(*span, text),)) for text in (f"MATCH {', '.join(each)}", asked)]
