"""Single edits that may make a wrong query right, with the error that it would have had.

Each undoes a kind of error: it takes a clause or condition out, or gives a path its length. Whether it helps,
the caller has to find out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from retrocypher.kg.cypher.clauses import RelationshipPattern, length_ranges, relationship_patterns, reverse
from retrocypher.kg.cypher.edits import Edit, apply_edits
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.mutations.operator import (
    WHERE_CLAUSE,
    conjuncts,
    end_before,
    last_return,
    matches,
    where_of,
    without_clause,
    without_conjunct,
)
from retrocypher.kg.mutations.single_edits import END_EDITS


class Repair(NamedTuple):
    """An edit, and the label of the error that it undoes."""

    label: str
    edits: tuple[Edit, ...]

    def apply(self, query: ParsedQuery) -> str:
        """Return the query with the edit made."""
        return apply_edits(query.text, self.edits)


def limit_repairs(query: ParsedQuery) -> Iterator[Repair]:
    """Yield repairs of a query that cuts off rows."""
    cuts = [
        Edit(end_before(query, each.start), each.stop, "") for each in query.root.find_all("limit", "skip")
    ]
    yield from (Repair("limit", (cut,)) for cut in cuts)
    if len(cuts) > 1:
        yield Repair("limit", tuple(cuts))


def row_repairs(query: ParsedQuery) -> Iterator[Repair]:
    """Yield repairs of a query that loses rows by a condition or a pattern, one at a time."""
    for where in query.root.find_all(WHERE_CLAUSE):
        parts = len(conjuncts(where))
        for place in range(parts):
            yield Repair("other", (without_conjunct(query, where, place),))
        if parts > 1:
            yield Repair("other", (Edit(end_before(query, where.start), where.stop, ""),))
    required = [each for each in matches(query) if each.kind == "MATCH"]
    for clause in required[1:]:
        label = "duplicate_or_incomplete" if where_of(clause) is None else "other"
        yield Repair(label, (Edit(clause.start, clause.start, "OPTIONAL "),))
        yield Repair(label, (without_clause(query, clause),))
    if len(required) > 2:
        optional = tuple(Edit(clause.start, clause.start, "OPTIONAL ") for clause in required[1:])
        yield Repair("duplicate_or_incomplete", optional)
    yield from (Repair("duplicate_or_incomplete", (edit,)) for edit in _needless_ends(query))


def _needless_ends(query: ParsedQuery) -> Iterator[Edit]:
    """Yield edits without the last relationship of a path whose end nothing else names."""
    times = Counter(token.text for token in query.tokens)
    for pattern in relationship_patterns(query):
        end, path = pattern.right, pattern.node.parent
        if end is None or path is None or pattern.variable or pattern.node.within(WHERE_CLAUSE) is not None:
            continue
        is_last = path.nodes()[-1] is end.node
        if is_last and times[end.variable or ""] < 2 and end.node.find("properties") is None:
            yield Edit(pattern.start, end.stop, "")


def single_row_repairs(query: ParsedQuery) -> Iterator[Repair]:
    """Yield repairs of a query that returns several rows where one is asked for."""
    limits = list(query.root.find_all("limit"))
    for limit in limits:
        number = limit.find("numberLiteral")
        if number is not None:
            yield Repair("limit", (Edit(number.start, number.stop, "1"),))
    clause = last_return(query)
    if clause is not None and not limits:
        yield Repair("limit", (Edit(clause.stop, clause.stop, "\nLIMIT 1"),))


def length_repairs(query: ParsedQuery, steps: int) -> Iterator[Repair]:
    """Yield repairs of the length of paths, for routes of some reaction steps of two relationships each."""
    found = length_ranges(query)
    for hops in (2 * steps, steps, steps - 1) if found else ():
        edits = [
            Edit(each.start, each.stop, f"{{{hops}}}" if each.quantifier else f"*{hops}")
            for each in found
            if (each.minimum, each.maximum) != (hops, hops)
        ]
        if edits:
            yield Repair("path_length", tuple(edits))


def end_repairs(query: ParsedQuery) -> Iterator[Repair]:
    """Yield repairs of queries that look at the wrong end of a path or reaction."""
    for operator in END_EDITS:
        for mutation in operator.mutations(query):
            yield Repair("endpoint_anchoring", mutation.edits)


def type_repairs(
    query: ParsedQuery, into: Sequence[str], out: Sequence[str], route: str, steps: int | None
) -> Iterator[Repair]:
    """Yield repairs of the types of relationships.

    Args:
        into: The types whose arrows end at what a query is about, such as reactions.
        out: The types whose arrows begin there.
        route: The types that a route follows, joined by ``|``.
        steps: The reaction steps of a route; None where one step is asked about.
    """
    for pattern in relationship_patterns(query):
        if pattern.node.within(WHERE_CLAUSE) is not None:
            continue
        if pattern.length is not None and not pattern.length.quantifier:
            for repair in _typed(pattern, [route], turned=False):
                yield repair
                if steps is not None and pattern.type_expression is not None:
                    for hops in (2 * steps, 2 * steps - 1):
                        length = Edit(pattern.length.start, pattern.length.stop, f"*{hops}")
                        yield Repair(repair.label, (*repair.edits, length))
            continue
        same, other = (into, out) if set(pattern.types) & set(into) else (out, into)
        yield from _typed(pattern, same, turned=False)
        yield from _typed(pattern, other, turned=True)


def _typed(pattern: RelationshipPattern, types: Iterable[str], *, turned: bool) -> Iterator[Repair]:
    edits = reverse(pattern) if turned else ()
    if turned and not edits:
        return
    for each in types:
        if pattern.type_expression is not None and "|".join(pattern.types) != each:
            yield Repair("wrong_relationship", (*edits, Edit(*pattern.type_expression, f":{each}")))
        elif pattern.type_expression is None and not edits and pattern.node.node("properties") is None:
            left, right = "<" * (pattern.direction == "left"), ">" * (pattern.direction == "right")
            text = f"{left}-[{pattern.variable or ''}:{each}]-{right}"
            yield Repair("wrong_relationship", (Edit(pattern.start, pattern.stop, text),))


def logic_repairs(query: ParsedQuery) -> Iterator[Repair]:
    """Yield repairs of conditions that ask for one of several things where all are meant."""
    edits = [Edit(token.start, token.stop, "AND") for token in query.tokens if token.name in ("OR", "XOR")]
    if edits:
        yield Repair("set_logic", tuple(edits))


def list_repairs(query: ParsedQuery) -> Iterator[Repair]:
    """Yield repairs of lists of which only a part is returned, such as ``head(collect(m))``."""
    for call in query.root.find_all("functionInvocation"):
        words = [token.text.lower() for token, _ in zip(call.tokens(), range(2), strict=False)]
        if words in (["head", "("], ["last", "("]):
            yield Repair("wrong_aggregation_or_order", (Edit(call.start, call.start + len(words[0]), ""),))
        elif words in (["min", "("], ["max", "("]):
            yield Repair("wrong_aggregation_or_order", (Edit(call.start, call.start + 3, "collect"),))
    for part in query.root.find_all("postFix"):
        if part.token("LBRACKET") is not None and part.find("numberLiteral") is not None:
            label = "wrong_aggregation_or_order" if part.token("DOTDOT") is None else "limit"
            yield Repair(label, (Edit(part.start, part.stop, ""),))
