"""CypherBench's metrics of a predicted query against a gold query, on a live graph: EX and PSJS.

- **EX** is 1 if both queries have the same result (`execution_accuracy` says when), else 0.
- **PSJS** is the Jaccard similarity of the nodes that the MATCH parts of both match (`provenance`).

A prediction that does not run scores 0; for PSJS only its MATCH part has to run. A metric is undefined (None,
with a reason) where the gold does not run or its MATCH part cannot be read, the gold's result or a set of
nodes has more than 100,000 rows, a comparison takes too many steps, or the MATCH part of a prediction that
runs cannot be read.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import NamedTuple, Protocol

from retrocypher.kg.cypher.clauses import writing_clauses
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.execution import published
from retrocypher.kg.execution.execution import Execution, HashedTable, hash_rows
from retrocypher.kg.execution.hashing import HASH_BYTES, HASHED_ROWS, Values
from retrocypher.kg.semantics.provenance import Provenance, provenance
from retrocypher.kg.semantics.result_order import SortedQuery, with_sort_keys
from retrocypher.plugins.scoring.execution_accuracy import same_table, sort_groups, sorted_rows, values_of

KEPT_BYTES = 256 * 1024**2
"""Hashes of results that are kept; the least recently used go first."""


_MOST_NODES = HASHED_ROWS + 1
"""Nodes that are fetched of a provenance subgraph: one more than are compared."""


class HashingExecutor(Protocol):
    """What runs queries: a `GuardedExecutor`."""

    def run_hashed(self, cypher: str | None, values: Values) -> Execution:
        """Run a query and hash its result."""


class GraphScores(NamedTuple):
    """The scores of one prediction; None where undefined, for the ``reason``."""

    ex: float | None
    psjs: float | None
    reason: str | None


class RowComparison(NamedTuple):
    """How the rows of two results compare, as multisets; a row is the multiset of its values.

    Attributes:
        expected: Rows of the gold.
        returned: Rows of the prediction; those of one that did not run or is too large are not counted.
        shared: Rows in both.
        same_rows: Whether each row of one is in the other, however often.
        width_differs: Whether both ran and have different numbers of columns.
    """

    expected: int
    returned: int
    shared: int
    same_rows: bool
    width_differs: bool


class Undefined(Exception):  # noqa: N818 - a signal, not an error
    """A metric has no value, for the reason given."""


class GraphMetrics:
    """Measures predictions against gold queries; each distinct text runs once while its result is kept.

    With ``compat`` the verdicts are those of CypherBench's published evaluator, faults included. They are
    undefined where that evaluator ends with an exception. Queries still run under guard and limits.
    """

    def __init__(self, executor: HashingExecutor, *, compat: bool = False) -> None:
        self._executor = executor
        self._compat = compat
        self._results: OrderedDict[tuple[str, Values], Execution] = OrderedDict()
        self._kept = 0

    def measure(
        self, gold_text: str, predicted_text: str | None, executed: Execution | None = None
    ) -> GraphScores:
        """Return EX and PSJS of a prediction.

        ``executed`` is the result of the prediction where it is known: a complete one is not run again.
        Raises GraphUnavailable as the executor does.
        """
        reasons: list[str] = []

        def value(name: str, metric: Callable[[], float]) -> float | None:
            try:
                return metric()
            except Undefined as reason:
                reasons.append(f"{name}: {reason}")
                return None

        text = predicted_text or ""
        if self._compat:
            text = published.prediction(text)
            if text == gold_text:
                return GraphScores(1.0, 1.0, None)
            ex = value("EX", lambda: self._published_accuracy(gold_text, text))
            psjs = value("PSJS", lambda: self._published_similarity(gold_text, text))
        else:
            ex = value("EX", lambda: self._accuracy(gold_text, text, executed))
            psjs = value("PSJS", lambda: self._similarity(gold_text, text, executed))
        return GraphScores(ex, psjs, "; ".join(reasons) or None)

    def compare_rows(
        self, gold_text: str, predicted_text: str | None, executed: Execution
    ) -> RowComparison | str:
        """Compare the rows of a prediction with those of the gold; a text says why the gold has none.

        ``executed`` is the result of the prediction. Raises GraphUnavailable as the executor does.
        """
        values = values_of(parse(gold_text))
        try:
            gold = _complete(self._run(gold_text, values))
        except Undefined as reason:
            return str(reason)
        predicted = self._predicted(predicted_text or "", executed, values)
        if not isinstance(predicted, HashedTable) or predicted.truncated:
            return RowComparison(gold.row_count, 0, 0, same_rows=False, width_differs=False)
        expected, returned = Counter(sorted_rows(gold)), Counter(sorted_rows(predicted))
        return RowComparison(
            gold.row_count,
            predicted.row_count,
            (expected & returned).total(),
            expected.keys() == returned.keys(),
            gold.width != predicted.width,
        )

    def _predicted(self, text: str, executed: Execution | None, values: Values) -> Execution:
        """Return the hashed result of a prediction; one that is known whole is not run again."""
        if executed is not None and (executed.status != "ok" or not executed.truncated):
            return hash_rows(executed, values)
        return self._run(text, values)

    def _accuracy(self, gold_text: str, text: str, executed: Execution | None) -> float:
        query = parse(gold_text)
        values = values_of(query)
        gold, groups, extra = self._gold(gold_text, with_sort_keys(query), values)
        if text == gold_text:
            return 1.0
        predicted = self._predicted(text, executed, values)
        # A result that is too large is larger than the gold's, which is complete.
        if not isinstance(predicted, HashedTable) or predicted.truncated:
            return 0.0
        same = same_table(gold, predicted, groups, extra=extra)
        if same is None:
            raise Undefined("comparing the results takes too many steps")
        return float(same)

    def _gold(
        self, text: str, order: SortedQuery | None, values: Values
    ) -> tuple[HashedTable, list[int] | None, int]:
        """The gold's result, the groups of rows that may permute, and how many columns were added."""
        if order is not None and order.text is not None:
            keyed = self._run(order.text, values)
            if isinstance(keyed, HashedTable) and not keyed.truncated:
                return keyed, sort_groups(keyed, order.keys), order.extra
        gold = _complete(self._run(text, values))
        return gold, None if order is None else list(range(gold.row_count)), 0

    def _similarity(self, gold_text: str, text: str, executed: Execution | None) -> float:
        gold = self._nodes(provenance(gold_text, _MOST_NODES))
        if text == gold_text:
            return 1.0
        parsed = parse(text)
        # Its MATCH part alone would run.
        refused = bool(writing_clauses(parsed)) or (executed is not None and executed.status == "refused")
        broken = bool(parsed.errors) and parsed.unread is None
        if not text.strip() or broken or refused:
            return 0.0
        try:
            return _jaccard(gold, self._nodes(provenance(text, _MOST_NODES)), of_nothing=1.0)
        except Undefined:
            runs = executed or self._run(text, "ordered_lists")
            if runs.status == "ok":
                raise
            return 0.0

    def _nodes(self, found: Provenance) -> frozenset[bytes]:
        if found.query is None:
            raise Undefined(found.reason or "")
        if not found.query:
            return frozenset()
        return _members(_complete(self._run(found.query, "members")))

    def _published_accuracy(self, gold_text: str, text: str) -> float:
        gold = _complete(self._run(gold_text, "published"))
        predicted = self._run(text, "published")
        if not isinstance(predicted, HashedTable) or _holds(predicted, published.UNREADABLE):
            return 0.0
        if _holds(gold, published.UNREADABLE):
            raise Undefined("the published evaluator cannot read the gold's values")
        if predicted.truncated:
            return 0.0
        alike = (gold.row_count, gold.width) == (predicted.row_count, predicted.width)
        if alike and any(_holds(table, published.FATAL) for table in (gold, predicted)):
            raise Undefined("the published evaluator cannot compare relationships")
        groups = list(range(gold.row_count)) if published.is_ordered(gold_text) else None
        same = same_table(gold, predicted, groups)
        if same is None:
            raise Undefined("comparing the results takes too many steps")
        return float(same)

    def _published_similarity(self, gold_text: str, text: str) -> float:
        found: list[frozenset[bytes]] = []
        for each in (gold_text, text):
            query = published.provenance_text(each, _MOST_NODES)
            result = self._run(query, "members") if query else HashedTable("ok")
            if not isinstance(result, HashedTable):
                return 0.0
            found.append(_members(_complete(result)))
        return _jaccard(found[0], found[1], of_nothing=0.0)

    def _run(self, text: str, values: Values) -> Execution:
        key = (text, values)
        if key in self._results:
            self._results.move_to_end(key)
            return self._results[key]
        result = self._results[key] = self._executor.run_hashed(text, values)
        self._kept += _size(result)
        while self._kept > KEPT_BYTES and len(self._results) > 1:
            self._kept -= _size(self._results.popitem(last=False)[1])
        return result


def _complete(result: Execution) -> HashedTable:
    if not isinstance(result, HashedTable):
        raise Undefined(f"{result.status}: {result.message or 'no result'}")
    if result.truncated:
        raise Undefined("the result is too large")
    return result


def _members(table: HashedTable) -> frozenset[bytes]:
    return frozenset(table.hashes[at : at + HASH_BYTES] for at in range(0, len(table.hashes), HASH_BYTES))


def _jaccard(one: frozenset[bytes], other: frozenset[bytes], *, of_nothing: float) -> float:
    return len(one & other) / len(one | other) if one or other else of_nothing


def _holds(table: HashedTable, mark: bytes) -> bool:
    return mark in table.hashes and any(
        table.hashes.startswith(mark, at) for at in range(0, len(table.hashes), HASH_BYTES)
    )


def _size(result: Execution) -> int:
    return 1_000 + (len(result.hashes) if isinstance(result, HashedTable) else 0)
