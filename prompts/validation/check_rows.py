"""Rows: those that a query multiplies, cuts off or filters unasked, and the one with the best yield."""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from retrocypher.kg.semantics.builder import parts_of, walk
from retrocypher.kg.semantics.query_model import (
    Call,
    Condition,
    Constant,
    EdgeTerm,
    NodeTerm,
    Operation,
    PathTerm,
    Projection,
    Property,
    Subquery,
    Term,
)
from retrocypher.prompts.validation.finding import Case, Finding
from retrocypher.prompts.validation.graph_view import calls, subqueries
from retrocypher.prompts.validation.roles import Focus

_MANY = 1000
_WHOLE = 100
_ORDERED = ("<", "<=", ">", ">=", "=", "<>", "in")


def check_rows(case: Case) -> Iterator[Finding]:
    """LIMIT, SKIP, unconnected patterns and filters that the question does not give."""
    yield from _cut(case)
    yield from check_connected(case)
    yield from _filters(case)
    yield from _alternatives(case)
    yield from _denials(case)


def _cut(case: Case) -> Iterator[Finding]:
    for projection in case.reading.projections:
        if case.view.statuses[projection.scope] != "required":
            continue
        skip, limit = projection.skip, projection.limit
        if isinstance(skip, Constant) and skip.value != 0:
            yield Finding.at(
                projection, "limit", f"SKIP {skip.value} leaves out rows; the question does not ask for that."
            )
        if case.asked.intent == "best_yield" or not isinstance(limit, Constant):
            continue
        if isinstance(limit.value, int) and limit.value < _MANY:
            yield Finding.at(
                projection,
                "limit",
                f"LIMIT {limit.value} cuts off results; the question asks for all of them.",
            )


def check_connected(case: Case) -> Iterator[Finding]:
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
            yield Finding.at(
                node,
                "duplicate_or_incomplete",
                f"Nothing joins {view.name(node.key)} to the molecules of the question, so every row is "
                "combined with every node it matches. Join it to the pattern or leave it out.",
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
        required = case.view.of(condition) == "required"
        parts = [each for each in walk(condition.term) if isinstance(each, Operation)]
        if case.asked.intent != "best_yield":
            # A yield that is only known to be there limits nothing but the rows that have to be there.
            if any(_about_yield(case, each) and (required or each.operator in _ORDERED) for each in parts):
                yield _filter(case, condition, "drops what has no known yield or one that does not fit")
        elif required and isinstance(condition.term, Operation) and _threshold(case, condition.term):
            yield _filter(case, condition, "leaves out reactions by their yield")
        if required and isinstance(condition.term, Operation) and _about_ids(case, condition.term):
            yield _filter(case, condition, "keeps only reactions with certain ids")


def _alternatives(case: Case) -> Iterator[Finding]:
    """Molecules of the question of which one is enough, at different places of the pattern."""
    asked = {molecule.name for molecule in case.asked.molecules}
    if case.asked.intent == "multi_product" or len(asked) < 2:
        return
    for condition, term in case.operations:
        if term.operator == "or" and asked <= mentioned(case, term):
            yield Finding.at(
                condition,
                "set_logic",
                f"`{case.written(condition.start, condition.stop)}` holds where only one of the molecules "
                "fits. Use AND.",
            )


def _denials(case: Case) -> Iterator[Finding]:
    """Patterns that must not be there, though the question does not say so."""
    if case.asked.intent == "best_yield":
        return
    for condition, term in case.operations:
        denied = term.operator == "not"
        if denied and isinstance(parts_of(term)[0], Subquery) and case.view.of(condition) == "required":
            yield _filter(case, condition, "leaves out what has such a pattern")


def mentioned(case: Case, term: Term) -> set[str]:
    """The texts in a term and in the subqueries within it."""
    scopes = subqueries(term)
    terms = [term, *(each.term for each in case.reading.conditions if each.scope in scopes)]
    found = (each.value for each in chain.from_iterable(map(walk, terms)) if isinstance(each, Constant))
    return {value for value in found if isinstance(value, str)}


def _filter(case: Case, condition: Condition, effect: str) -> Finding:
    return Finding.at(
        condition,
        "other",
        f"`{case.written(condition.start, condition.stop)}` {effect}; the question does not ask for that.",
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


_COMPARISONS = ("=", "<", "<=", ">", ">=", "<>", "in")
_FIRST = ("head", "[]", "slice", "last")


class _Sorted(NamedTuple):
    """Where rows are sorted by yield."""

    projection: Projection
    descending: bool
    key: Term
    nulls_last: bool


def check_yield(case: Case, focus: Focus) -> Iterator[Finding]:
    """Order, null check and limit of a question about the best yield."""
    if case.reading.unread:
        return
    if _by_extreme(case, "max") or _none_is_better(case):
        return
    if _by_extreme(case, "min"):
        yield _finding(
            case,
            "wrong_aggregation_or_order",
            "The reaction with the least yield is kept. Use max() instead.",
            None,
        )
        return
    found = list(_sorted(case))
    ranked = found[0] if found else None
    limits = [p for p in case.reading.projections if p.limit is not None and _in_query(case, p)]
    if ranked is None:
        yield from _unsorted(case, limits)
        return
    backwards = _takes_last(case)
    if ranked.descending == backwards:
        yield Finding.at(
            ranked.projection,
            "wrong_aggregation_or_order",
            "The rows are sorted so that the least yield comes first. Sort by yield with DESC.",
        )
    # Nulls come first in descending order and last in ascending order.
    if not ranked.nulls_last and not backwards and not _checked(case, ranked.key):
        yield Finding.at(
            ranked.projection,
            "missing_null_check",
            "Reactions without a yield sort before all others. Keep only known yields first: WHERE the "
            f"`{case.domain.yield_name}` IS NOT NULL.",
        )
    if calls(ranked.key, "tostring"):
        yield Finding.at(
            ranked.projection,
            "wrong_aggregation_or_order",
            "Yields are sorted as texts, in which 9 comes after 80. Sort the numbers.",
        )
    yield from _wrong_edge(case, focus, ranked)
    yield from _limited(case, ranked, limits)


def _unsorted(case: Case, limits: list[Projection]) -> Iterator[Finding]:
    if limits:
        yield Finding.at(
            limits[0],
            "wrong_aggregation_or_order",
            "LIMIT keeps any reaction: the rows are not sorted by yield. Add ORDER BY the yield DESC "
            "before it.",
        )
    elif not any(_first_of(item.term) for p in case.reading.projections for item in p.items):
        yield _finding(
            case,
            "wrong_aggregation_or_order",
            "All reactions are returned, not the one with the best yield. Keep known yields, sort by yield "
            "DESC and add LIMIT 1.",
            case.returned,
        )


def _limited(case: Case, ranked: _Sorted, limits: list[Projection]) -> Iterator[Finding]:
    after = [p for p in limits if p.part >= ranked.projection.part]
    if not after:
        if not any(_first_of(item.term) for p in case.reading.projections for item in p.items):
            yield Finding.at(
                ranked.projection,
                "limit",
                "The reactions are sorted by yield but all of them are returned. Add LIMIT 1 after the "
                "ORDER BY.",
            )
        return
    limit = after[0]
    if isinstance(limit.limit, Constant) and limit.limit.value != 1:
        yield Finding.at(
            limit, "limit", f"LIMIT {limit.limit.value} is not the one best reaction. Use LIMIT 1."
        )
    elif not limit.grouped and not limit.distinct:
        yield from _cut_short(case, limit)


def _cut_short(case: Case, limit: Projection) -> Iterator[Finding]:
    """A LIMIT on rows that are one a component and not one a reaction."""
    grouped = [p.part for p in case.reading.projections if p.part < limit.part and (p.grouped or p.distinct)]
    since = max(grouped, default=0)
    for edge in case.reading.edges:
        if edge.optional and edge.scope == limit.scope and since < edge.part < limit.part:
            yield Finding.at(
                limit,
                "duplicate_or_incomplete",
                f"LIMIT 1 comes after {case.written_pattern(edge)}, where a reaction has several rows, so "
                "only one of its molecules is kept. Sort and limit before the OPTIONAL MATCHes.",
            )
            return


def _wrong_edge(case: Case, focus: Focus, ranked: _Sorted) -> Iterator[Finding]:
    """A yield of another product than the one asked about."""
    for term in walk(ranked.key):
        if isinstance(term, Property) and isinstance(term.of, EdgeTerm):
            link = case.view.links[term.of.key]
            if focus.targets and link.end not in focus.targets and link.start in focus.reactions:
                yield Finding.at(
                    ranked.projection,
                    "wrong_aggregation_or_order",
                    f"The yield of {case.pattern(link)} may be that of another product. Sort by the yield of "
                    "the relationship to the molecule asked about.",
                )
                return


def _sorted(case: Case) -> Iterator[_Sorted]:
    for projection in case.reading.projections:
        nulls_last = False
        for order in projection.order:
            if isinstance(order.term, Operation) and order.term.operator in ("is null", "is not null"):
                nulls_last = order.descending == (order.term.operator == "is not null")
                continue
            if not _is_yield(case, order.term):
                break
            negated = isinstance(order.term, Operation) and order.term.operator == "-"
            default = isinstance(order.term, Call) and order.term.name == "coalesce"
            yield _Sorted(projection, order.descending != negated, order.term, nulls_last or default)
            break


def _is_yield(case: Case, term: Term) -> bool:
    return any(isinstance(each, Property) and each.name == case.domain.yield_name for each in walk(term))


def _checked(case: Case, key: Term) -> bool:
    """Whether a condition leaves out missing yields."""
    yields = {each for each in walk(key) if _is_yield(case, each)}
    for condition, term in case.operations:
        if condition.optional:
            continue
        compared = term.operator == "is not null" or term.operator in _COMPARISONS
        if compared and case.view.of(condition) == "required" and yields & set(term.operands):
            return True
    return False


def _by_extreme(case: Case, name: str) -> bool:
    """Whether a yield is compared with the greatest (or least) of all."""
    for condition, term in case.operations:
        if term.operator not in ("=", ">=", "<=", "in"):
            continue
        if len(term.operands) != 2 or not all(_is_yield(case, each) for each in term.operands):
            continue
        extremes = [calls(each, name) for each in term.operands]
        if any(extremes) and case.view.of(condition) == "required":
            return True
    return False


def _none_is_better(case: Case) -> bool:
    """Whether no other reaction with a greater yield may exist."""
    for condition in case.reading.conditions:
        for each in walk(condition.term):
            if isinstance(each, Subquery) and each.kind in ("exists", "count"):
                inner = [c.term for c in case.reading.conditions if c.scope == each.scope]
                if any(_is_yield(case, term) for term in inner):
                    return True
    return False


def _first_of(term: Term) -> bool:
    """Whether one of a collected list is taken."""
    for each in walk(term):
        if isinstance(each, Call) and each.name in _FIRST and calls(each, "collect"):
            return True
        if isinstance(each, Operation) and each.operator == "[]" and calls(each, "collect"):
            return True
    return False


def _takes_last(case: Case) -> bool:
    for projection in case.reading.projections:
        for item in projection.items:
            for each in walk(item.term):
                if isinstance(each, Call) and each.name == "last" and calls(each, "collect"):
                    return True
                if isinstance(each, Operation) and each.operator == "[]" and each.operands[1] == Constant(-1):
                    return True
    return False


def _in_query(case: Case, projection: Projection) -> bool:
    return case.view.statuses[projection.scope] == "required"


def _finding(case: Case, label: str, message: str, at: Projection | None) -> Finding:
    if at is None:
        return Finding(label, message, len(case.text), len(case.text))
    return Finding.at(at, label, message)
