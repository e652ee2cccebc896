"""Other ways to say which molecule is meant."""

import itertools
from collections.abc import Sequence

from kg.cypher import (
    Clause,
    Edit,
    Node,
    ParsedQuery,
    RelationshipPattern,
    Rule,
    Span,
    relationship_patterns,
)
from prompts.models.mutations._anchors import Anchor, anchors
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import (
    body,
    calls,
    conjuncts,
    end_before,
    main_clauses,
    matches,
    where_of,
    without_conjunct,
)


def _to_where(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
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
            found.append(Mutation(tuple(edits)))
    return found


def _pairs(pattern: Node) -> int:
    properties = pattern.node(Rule.PROPERTIES)
    return len(list(properties.find_all("propertyKeyName"))) if properties else 0


def _properties_out(query: ParsedQuery, pattern: Node) -> Edit:
    properties = pattern.node(Rule.PROPERTIES)
    if properties is None:
        raise ValueError("a node pattern without properties holds no anchor")
    return Edit(end_before(query, properties.start), properties.stop, "")


def _to_map(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
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
                found.append(Mutation((Edit(at, at, text), without_conjunct(query, where, index))))
    return found


def _is(one: Node | None, other: Node) -> bool:
    return one is not None and (one.start, one.stop) == (other.start, other.stop)


def _bound_in(query: ParsedQuery, clause: Clause, name: str | None) -> Node | None:
    for pattern in relationship_patterns(query):
        for end in (pattern.left, pattern.right):
            inside = end and clause.start <= end.start < clause.stop
            if end and inside and end.variable == name and not end.node.node(Rule.PROPERTIES):
                return end.node
    return None


def _each_in_a_pattern(query: ParsedQuery) -> Sequence[Mutation]:
    """All of several molecules by a pattern each, or a condition each, instead of counting those found."""
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


MAP_TO_WHERE = Operator("map_to_where", "move a property map to WHERE", "neutral", None, _to_where)
WHERE_TO_MAP = Operator(
    "where_to_map", "move a condition of WHERE to a property map", "neutral", None, _to_map
)
PATTERN_FOR_EACH = Operator(
    "pattern_for_each", "ask for all molecules by a pattern each", "neutral", None, _each_in_a_pattern
)
