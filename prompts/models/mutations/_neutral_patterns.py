"""Other ways to write the same pattern."""

from collections.abc import Sequence

from kg.cypher import (
    Edit,
    Node,
    ParsedQuery,
    RelationshipPattern,
    Rule,
    apply_edits,
    relationship_patterns,
    reverse,
)
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import ELEMENT, PATTERN, calls

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
