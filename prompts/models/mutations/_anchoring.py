"""Errors that put a molecule of the question at the wrong end."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kg.cypher import Edit, Node, ParsedQuery, Rule, relationship_patterns, reverse
from prompts.models.mutations._anchors import Anchor, anchors
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import ELEMENT


class _Path(NamedTuple):
    first: Node
    last: Node


def _other_end(query: ParsedQuery) -> Sequence[Mutation]:
    found = anchors(query)
    mutations = []
    for path in _paths(query):
        ends = [_anchors_of(query, found, end) for end in path]
        if bool(ends[0]) != bool(ends[1]):
            anchored = 0 if ends[0] else 1
            edits = _moved(query, ends[anchored], path[1 - anchored])
            mutations += [Mutation(edits)] if edits else []
    return mutations


def _ends_swapped(query: ParsedQuery) -> Sequence[Mutation]:
    found = anchors(query)
    mutations = []
    for path in _paths(query):
        ends = [_anchors_of(query, found, end) for end in path]
        if len(ends[0]) == len(ends[1]) == 1:
            one, other = ends[0][0].literal, ends[1][0].literal
            edits = (
                Edit(one.start, one.stop, query.source(other)),
                Edit(other.start, other.stop, query.source(one)),
            )
            mutations.append(Mutation(edits))
    return mutations


def _target_reacts(query: ParsedQuery) -> Sequence[Mutation]:
    named = {anchor.variable for anchor in anchors(query)}
    mutations = []
    for pattern in relationship_patterns(query):
        ends = [end for end in (pattern.left, pattern.right) if end]
        anchored = any(
            (end.variable in named and end.variable) or end.node.node("properties") for end in ends
        )
        edits = reverse(pattern)
        if pattern.types == ("PRODUCES",) and pattern.type_expression and anchored and edits:
            mutations.append(Mutation((*edits, Edit(*pattern.type_expression, ":REACTS_IN"))))
    return mutations


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


ANCHOR_OTHER_END = Operator(
    "anchor_other_end",
    "anchor a path's other end, the target as its start",
    "error",
    "endpoint_anchoring",
    _other_end,
)
SWAP_ENDS = Operator(
    "swap_ends",
    "swap the molecules at the two ends of a path",
    "error",
    "endpoint_anchoring",
    _ends_swapped,
)
TARGET_REACTS = Operator(
    "target_reacts",
    "look for reactions that consume the target instead of making it",
    "error",
    "endpoint_anchoring",
    _target_reacts,
)
