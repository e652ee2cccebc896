"""Rows that a query multiplies, cuts off or filters though the question does not ask for it."""

from collections.abc import Iterator
from itertools import chain

from retrocypher.kg.semantics.builder import parts_of, walk
from retrocypher.kg.semantics.query_model import (
    Call,
    Condition,
    Constant,
    EdgeTerm,
    NodeTerm,
    Operation,
    PathTerm,
    Property,
    Subquery,
    Term,
)
from retrocypher.prompts.validation.finding import Case, Finding
from retrocypher.prompts.validation.graph_view import subqueries

_MANY = 1000
_WHOLE = 100
_ORDERED = ("<", "<=", ">", ">=", "=", "<>", "in")


def check_rows(case: Case) -> Iterator[Finding]:
    """LIMIT, SKIP, unconnected patterns and filters that the question does not give."""
    yield from _cut(case)
    yield from _unconnected(case)
    yield from _filters(case)
    yield from _alternatives(case)
    yield from _denials(case)


def _cut(case: Case) -> Iterator[Finding]:
    for projection in case.reading.projections:
        if case.view.statuses[projection.scope] != "required":
            continue
        skip, limit = projection.skip, projection.limit
        if isinstance(skip, Constant) and skip.value != 0:
            yield Finding(
                "limit",
                f"SKIP {skip.value} leaves out rows; the question does not ask for that.",
                projection.start,
                projection.stop,
            )
        if case.asked.intent == "best_yield" or not isinstance(limit, Constant):
            continue
        if isinstance(limit.value, int) and limit.value < _MANY:
            yield Finding(
                "limit",
                f"LIMIT {limit.value} cuts off results; the question asks for all of them.",
                projection.start,
                projection.stop,
            )


def _unconnected(case: Case) -> Iterator[Finding]:
    """Patterns that nothing ties to the molecules of the question."""
    view = case.view
    group = list(range(len(case.reading.nodes)))

    def find(key: int) -> int:
        while group[key] != key:
            key = group[key]
        return key

    def tie(nodes: set[int]) -> None:
        first, *others = sorted(find(node) for node in nodes) or [0]
        for other in others:
            group[find(other)] = find(first)

    for node in case.reading.nodes:
        tie({node.key, view.node(node.key)})
    for link in view.links:
        tie({link.start, link.end} | _inner(case, link.edge.inner))
    for condition in case.reading.conditions:
        found = nodes_in(case, condition.term)
        if found and condition.scope < len(case.reading.scopes):
            tie(found)
    anchored = {find(anchor.node) for anchor in view.anchors if anchor.kind in ("is", "one_of")}
    if not anchored:
        return
    told: set[int] = set()
    for node in case.reading.nodes:
        status = view.statuses[node.scope]
        if find(node.key) not in anchored | told and status in ("required", "optional"):
            told.add(find(node.key))
            yield Finding(
                "duplicate_or_incomplete",
                f"Nothing joins {view.name(node.key)} to the molecules of the question, so every row is "
                "combined "
                "with every node it matches. Join it to the pattern or leave it out.",
                node.start,
                node.stop,
            )


def _inner(case: Case, edges: tuple[int, ...]) -> set[int]:
    return {end for edge in edges for end in (case.reading.edges[edge].start, case.reading.edges[edge].end)}


def nodes_in(case: Case, term: Term) -> set[int]:
    """The nodes that a term speaks of, those of its paths, relationships and subqueries included."""
    found: set[int] = set()
    for each in walk(term):
        match each:
            case NodeTerm(key):
                found.add(key)
            case EdgeTerm(key):
                found |= {case.reading.edges[key].start, case.reading.edges[key].end}
            case PathTerm(key):
                found |= set(case.reading.paths[key].nodes)
            case Subquery(_, scope, _):
                for edge in case.reading.edges:
                    if edge.scope == scope:
                        found |= {edge.start, edge.end}
    return found


def _filters(case: Case) -> Iterator[Finding]:
    for condition in case.reading.conditions:
        if case.view.of(condition) != "required" or not isinstance(condition.term, Operation):
            continue
        if case.asked.intent == "best_yield" and _threshold(case, condition.term):
            yield _filter(case, condition, "leaves out reactions by their yield")
        elif case.asked.intent != "best_yield" and _about_yield(case, condition.term):
            yield _filter(case, condition, "drops reactions whose yield is not known or does not fit")
        elif _about_ids(case, condition.term):
            yield _filter(case, condition, "keeps only reactions with certain ids")


def _alternatives(case: Case) -> Iterator[Finding]:
    """Molecules of the question of which one is enough, at different places of the pattern."""
    asked = {molecule.name for molecule in case.asked.molecules}
    if case.asked.intent == "multi_product" or len(asked) < 2:
        return
    for condition in case.reading.conditions:
        term = condition.term
        if isinstance(term, Operation) and term.operator == "or" and asked <= mentioned(case, term):
            yield Finding(
                "set_logic",
                f"`{case.written(condition.start, condition.stop)}` holds where only one of the molecules "
                "fits. Use AND.",
                condition.start,
                condition.stop,
            )


def _denials(case: Case) -> Iterator[Finding]:
    """Patterns that must not be there, though the question does not say so."""
    if case.asked.intent == "best_yield":
        return
    for condition in case.reading.conditions:
        term = condition.term
        denied = isinstance(term, Operation) and term.operator == "not"
        if denied and isinstance(parts_of(term)[0], Subquery) and case.view.of(condition) == "required":
            yield _filter(case, condition, "leaves out what has such a pattern")


def mentioned(case: Case, term: Term) -> set[str]:
    """The texts in a term and in the subqueries within it."""
    scopes = subqueries(term)
    terms = [term, *(each.term for each in case.reading.conditions if each.scope in scopes)]
    found = (each.value for each in chain.from_iterable(map(walk, terms)) if isinstance(each, Constant))
    return {value for value in found if isinstance(value, str)}


def _filter(case: Case, condition: Condition, effect: str) -> Finding:
    return Finding(
        "duplicate_or_incomplete",
        f"`{case.written(condition.start, condition.stop)}` {effect}; the question does not ask for that.",
        condition.start,
        condition.stop,
    )


def _about_yield(case: Case, term: Operation) -> bool:
    if term.operator not in (*_ORDERED, "is not null"):
        return False
    return any(
        isinstance(operand, Property) and operand.name == case.domain.yield_name for operand in term.operands
    )


def _threshold(case: Case, term: Operation) -> bool:
    """Whether a yield has to be above or below some number that can matter."""
    if not _about_yield(case, term) or len(term.operands) != 2:
        return False
    yields, bound = term.operands
    operator = term.operator
    if isinstance(yields, Constant):
        yields, bound = bound, yields
        operator = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}.get(operator, operator)
    if not isinstance(bound, Constant) or not isinstance(bound.value, int | float):
        return False
    at_least = operator in (">", ">=") and bound.value > 0
    return at_least or (operator in ("<", "<=") and bound.value < _WHOLE) or operator == "="


def _about_ids(case: Case, term: Operation) -> bool:
    if term.operator not in _ORDERED or len(term.operands) != 2:
        return False
    for one, other in (term.operands, term.operands[::-1]):
        constant = isinstance(other, Constant) or (
            isinstance(other, Call) is False and not nodes_in(case, other)
        )
        if isinstance(one, Property) and one.name == case.domain.reaction_id and constant:
            return isinstance(one.of, NodeTerm) and case.view.is_reaction(case.view.node(one.of.key))
    return False
