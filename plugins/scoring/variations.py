"""How a right query differs from the reference query without a change of meaning."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from retrocypher.kg.cypher.clauses import Clause, RelationshipPattern, clauses, relationship_patterns
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.plugins.runs.record import Record
from retrocypher.plugins.runs.summary import VARIATIONS
from retrocypher.plugins.scoring.columns import column_names, plain_name, resolve

_Types = frozenset[str]
_Part = TypeVar("_Part", bound=Hashable)


def variations(cypher: str, reference: str) -> list[str]:
    """Return how a query is written differently from the reference query, in the order of `VARIATIONS`.

    Meant for queries whose result is perfect. Raises GraphError if the tables of Cypher's grammar cannot be
    had.

    A query over a budget of the parser is not compared, and has none.

    - ``aliases``: the names of variables and columns differ;
    - ``with_clause``: one has more WITH clauses;
    - ``edge_written_from_other_side``: a type that both use has arrows to the right in one and to the left in
      the other, or both ways in one only;
    - ``clause_order``: common patterns (by relationship types) are in another order;
    - ``property_order``: common columns of the last RETURN (by the key that their name means) are in another
      order.
    """
    query, wanted = _form(cypher), _form(reference)
    if query is None or wanted is None:
        return []
    differs = (
        query.names != wanted.names,
        query.withs != wanted.withs,
        any(query.arrows[kind] != wanted.arrows[kind] for kind in query.arrows.keys() & wanted.arrows.keys()),
        _common(query.order, wanted.order) != _common(wanted.order, query.order),
        _common(query.returned, wanted.returned) != _common(wanted.returned, query.returned),
    )
    return [name for name, is_so in zip(VARIATIONS, differs, strict=True) if is_so]


def of_perfect(record: Record) -> list[str] | None:
    """Return how the query of a perfect case differs from the reference; None for any other case."""
    cypher, reference = record.cypher, record.reference_cypher
    if record.scores is None or not record.scores.is_perfect or cypher is None:
        return None
    return [] if cypher == reference else variations(cypher, reference)


class _Form(NamedTuple):
    names: frozenset[str]
    withs: int
    arrows: dict[str, frozenset[str]]
    order: tuple[_Types, ...]
    returned: tuple[str, ...]
    """Each column of the last RETURN: the key that its name means, or else its name."""


# As many as there are questions: a run compares with each reference many times.
@lru_cache(maxsize=4096)
def _form(text: str) -> _Form | None:
    parsed = parse(text)
    if parsed.unread is not None:
        return None
    edges, parts = relationship_patterns(parsed), clauses(parsed)
    return _Form(
        names=frozenset(parsed.source(node).strip("`") for node in parsed.root.find_all(Rule.VARIABLE)),
        withs=sum(clause.kind == "WITH" for clause in parts),
        arrows=_arrows(edges),
        order=tuple(_order(parsed, edges)),
        returned=tuple(_returned(parts)),
    )


def _arrows(edges: Iterable[RelationshipPattern]) -> dict[str, frozenset[str]]:
    written: dict[str, frozenset[str]] = {}
    for edge in edges:
        if edge.direction != "either":
            for kind in edge.types:
                written[kind] = written.get(kind, frozenset()) | {edge.direction}
    return written


def _order(parsed: ParsedQuery, edges: Iterable[RelationshipPattern]) -> list[_Types]:
    """The types of each path pattern, in the order of the text."""
    found: dict[int, set[str]] = {}
    for edge in edges:
        path = edge.node.parent
        found.setdefault(id(path), set()).update(edge.types)
    return [frozenset(types) for types in found.values()]


def _returned(parts: Iterable[Clause]) -> Iterator[str]:
    last = next(
        (clause for clause in reversed([*parts]) if clause.kind == "RETURN" and not clause.depth), None
    )
    for item in last.items if last else ():
        name = plain_name(item.column)
        match = resolve(name, column_names().keys)
        yield match.key if match else name


def _common(order: Sequence[_Part], other: Sequence[_Part]) -> list[_Part]:
    """What both have, as often as both have it, in the order of the first."""
    left = Counter(order) & Counter(other)
    kept = []
    for part in order:
        if left[part]:
            left[part] -= 1
            kept.append(part)
    return kept
