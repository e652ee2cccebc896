"""What the text of a gold query says about order: of the rows of its result, and within its lists."""

from typing import NamedTuple

from retrocypher.kg.cypher.clauses import Clause, ReturnItem, clauses
from retrocypher.kg.cypher.edits import Edit, apply_edits, free_prefix, name_of
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node

_OWN_VARIABLES = (
    Rule.LIST_COMPREHENSION,
    Rule.LIST_PREDICATE,
    Rule.REDUCE,
    Rule.PATTERN_COMPREHENSION,
    Rule.PATTERN_EXPRESSION,
    Rule.EXISTS,
    Rule.COUNT,
    Rule.COLLECT,
)


class SortedQuery(NamedTuple):
    """A query whose result holds the keys that its rows are sorted by.

    ``keys`` are columns, counted from the end. ``extra`` columns at the end were added to the query and do
    not belong to its result. ``text`` is None where the keys cannot be added: the rows are then in one order.
    """

    text: str | None
    keys: tuple[int, ...] = ()
    extra: int = 0


def with_sort_keys(query: ParsedQuery) -> SortedQuery | None:
    """Return a query together with its sort keys; None where no outermost ORDER BY sorts the rows.

    An ORDER BY in a WITH or a subquery does not count, nor does that of a branch of a UNION.
    """
    final = _final_return(query)
    body = None if final is None else final.node.nodes()[0].node(Rule.RETURN_BODY)
    order = None if body is None else body.node("orderBy")
    if final is None or body is None or order is None:
        return None
    listed = body.node(Rule.RETURN_ITEMS)
    assert listed is not None
    places: list[int | str] = []
    for each in order.nodes("orderItem"):
        key = each.node(Rule.EXPRESSION)
        assert key is not None
        place = _place(query, key, final.items)
        written = _in_terms_before(query, key, final.items) if place is None else None
        if place is None and written is None:
            return SortedQuery(None)
        places.append(place if place is not None else written or "")
    added = [place for place in places if isinstance(place, str)]
    prefix = free_prefix(query.text, "__s")
    columns = "".join(f", {key} AS {prefix}{number}" for number, key in enumerate(added))
    text = apply_edits(query.text, [Edit(listed.stop, listed.stop, columns)])
    extra = len(added)
    keys = [
        place - len(final.items) - extra if isinstance(place, int) else added.index(place) - extra
        for place in places
    ]
    return SortedQuery(text, tuple(keys), extra)


class Cut(NamedTuple):
    """The rows that an outermost SKIP and LIMIT keep, and the query without them.

    ``last`` is None without a LIMIT.
    """

    text: str
    first: int
    last: int | None


def without_cut(query: ParsedQuery) -> Cut | None:
    """Return a query without its outermost SKIP and LIMIT; None where it has none that are plain numbers."""
    final = _final_return(query)
    body = None if final is None else final.node.nodes()[0].node(Rule.RETURN_BODY)
    parts = [node for name in ("skip", "limit") if body is not None and (node := body.node(name))]
    written = {node.rule: query.source(node).split() for node in parts}
    if not parts or not all(len(words) == 2 and words[1].isdecimal() for words in written.values()):
        return None
    numbers = {name: words[1] for name, words in written.items()}
    text = apply_edits(query.text, [Edit(node.start, node.stop, "") for node in parts])
    first = int(numbers.get("skip", 0))
    return Cut(text, first, first + int(numbers["limit"]) if "limit" in numbers else None)


def lists_are_ordered(query: ParsedQuery) -> bool:
    """Whether the order within lists means something in the result of a query.

    It does not where the query collects values without an ORDER BY: ``collect`` in another clause than the
    one after a sorted WITH, ``COLLECT { ... }`` without ORDER BY, a pattern comprehension.
    """
    if query.root.find(Rule.PATTERN_COMPREHENSION):
        return False
    subqueries = query.root.find_all(Rule.COLLECT)
    if any(node.find("orderBy") is None for node in subqueries):
        return False
    calls = query.root.find_all(Rule.FUNCTION)
    collects = [node for node in calls if query.source(node.children[0]).lower() == "collect"]
    return all(_follows_a_sort(node) for node in collects)


def _follows_a_sort(call: Node) -> bool:
    clause = call.within(Rule.CLAUSE)
    siblings = [] if clause is None or clause.parent is None else clause.parent.nodes(Rule.CLAUSE)
    place = siblings.index(clause) if clause is not None else 0
    before = siblings[place - 1].nodes()[0] if place else None
    if before is None:
        return False
    body = before.node(Rule.RETURN_BODY) if before.rule == Rule.WITH_CLAUSE else before
    return body is not None and body.node("orderBy") is not None


def _final_return(query: ParsedQuery) -> Clause | None:
    regular = query.root.find(Rule.REGULAR_QUERY)
    if query.errors or regular is None or len(regular.nodes(Rule.SINGLE_QUERY)) != 1:
        return None
    last = [clause for clause in clauses(query) if clause.depth == 0][-1:]
    return last[0] if last and last[0].kind == "RETURN" else None


def _place(query: ParsedQuery, key: Node, items: tuple[ReturnItem, ...]) -> int | None:
    """The column that a key is, by its name or by the same expression."""
    words = [token.text for token in key.tokens()]
    named = name_of(query, key) if len(words) == 1 else None
    aliases = {item.alias for item in items}
    for place, item in enumerate(items):
        if named is not None and named == item.alias:
            return place
        expression = item.node.node(Rule.EXPRESSION)
        # A name in the key may be an alias of this RETURN, and then is not what the expression names.
        same = expression is not None and words == [token.text for token in expression.tokens()]
        if same and not aliases & {name_of(query, name) for name in key.find_all(Rule.VARIABLE)}:
            return place
    return None


def _in_terms_before(query: ParsedQuery, key: Node, items: tuple[ReturnItem, ...]) -> str | None:
    """A key without the aliases of its RETURN; None where that cannot be told."""
    aliased = {item.alias: item.expression for item in items if item.alias is not None}
    edits = [
        Edit(name.start - key.start, name.stop - key.start, f"({aliased[name_of(query, name)]})")
        for name in key.find_all(Rule.VARIABLE)
        if name_of(query, name) in aliased
    ]
    if edits and key.find(*_OWN_VARIABLES):
        return None
    return apply_edits(query.source(key), edits)
