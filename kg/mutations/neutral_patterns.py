"""Other ways to say which molecule is meant."""

import itertools
from collections.abc import Sequence

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
    Operator,
    anchors,
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


_ROUTE = {"REACTS_IN", "PRODUCES"}


def _flipped(query: ParsedQuery) -> Sequence[Mutation]:
    """An edge written from its other side; of a path, the order of its nodes is turned back."""
    found = []
    for element in query.root.find_all(ELEMENT):
        text = _from_the_other_side(query, element)
        if text is None:
            continue
        path = _path_of(query, element)
        turned = [] if path is None else _nodes_of(query, path)
        if path is None or turned:
            edits = [Edit(element.start, element.stop, text)]
            for call in turned:
                edits += [Edit(call.start, call.start, "reverse("), Edit(call.stop, call.stop, ")")]
            found.append(Mutation(tuple(edits)))
    return found


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


def _path_of(query: ParsedQuery, element: Node) -> str | None:
    pattern = element.within(PATTERN)
    variable = pattern.node(Rule.VARIABLE) if pattern else None
    return query.source(variable) if variable else None


def _nodes_of(query: ParsedQuery, path: str) -> list[Node]:
    return [call for call in calls(query.root, "nodes") if path in query.source(call)]


def _without_labels(query: ParsedQuery) -> Sequence[Mutation]:
    """Labels that the relationships imply, which leaves out those of nodes looked up by a property."""
    nodes = {
        end.start: label
        for pattern in relationship_patterns(query)
        for end in (pattern.left, pattern.right)
        if end and end.variable and not end.node.node(Rule.PROPERTIES)
        if (label := end.node.node(Rule.LABEL_EXPRESSION))
    }
    edits = [Edit(label.start, label.stop, "") for label in nodes.values()]
    return [*(Mutation((edit,)) for edit in edits), *([Mutation(tuple(edits))] if len(edits) > 1 else [])]


def _with_labels(query: ParsedQuery) -> Sequence[Mutation]:
    """Labels at nodes that stand without one."""
    found = []
    for pattern in relationship_patterns(query):
        if pattern.length or len(pattern.types) != 1 or pattern.direction == "either":
            continue
        start, end = (pattern.left, pattern.right)[:: 1 if pattern.direction == "right" else -1]
        reaction = end if pattern.types[0] == "REACTS_IN" else start
        for node in (start, end):
            if node and not node.labels and node.variable:
                label = "Reaction" if node is reaction else "Molecule"
                at = node.start + 1 + len(node.variable)
                found.append(Mutation((Edit(at, at, f":{label}"),)))
    return found


def _written_out(query: ParsedQuery) -> Sequence[Mutation]:
    """A path of a fixed length as a quantified path and step by step, with and without inner labels."""
    found = []
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
        found += [Mutation((Edit(*span, text),)) for text in (quantified, with_labels, plain)]
    return found


FLIP_PATTERN = Operator("flip_pattern", "write an edge from its other side", "neutral", None, _flipped)
DROP_LABELS = Operator(
    "drop_labels", "leave out labels that the relationships imply", "neutral", None, _without_labels
)
ADD_LABELS = Operator(
    "add_labels", "write labels that the relationships imply", "neutral", None, _with_labels
)
WRITE_OUT_PATH = Operator(
    "write_out_path", "write a path step by step or as a quantified one", "neutral", None, _written_out
)
