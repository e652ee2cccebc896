"""The check of a suite: its reference queries, run on its graph and compared with the stored answers."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from msgspec import Struct

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.execution.execution import Execution, HashedTable
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.execution.hashing import HASH_BYTES, Values, hash_value
from retrocypher.kg.semantics.result_order import with_sort_keys, without_cut
from retrocypher.kg.suites.questions import TableQuestion
from retrocypher.plugins.scoring.execution_accuracy import sort_groups, sorted_rows, values_of

Problem = Literal[
    "failed", "slow", "truncated", "empty", "other_answer", "non_deterministic", "order_dependent"
]
PROBLEMS: dict[Problem, str] = {
    "failed": "the reference query does not run",
    "slow": "the reference query takes longer than the limit",
    "truncated": "the result is larger than a comparison takes",
    "empty": "the result has no row",
    "other_answer": "the result is not the stored answer",
    "non_deterministic": "two runs gave different results",
    "order_dependent": "SKIP or LIMIT cuts between rows that are sorted alike, so that chance decides",
}


class FoundProblem(Struct, frozen=True):
    """A problem of one reference query."""

    question: str
    problem: Problem
    detail: str


class SuiteChecker:
    """Runs reference queries; each distinct text runs twice."""

    def __init__(self, executor: GuardedExecutor) -> None:
        self._executor = executor

    def problems(self, questions: Iterable[TableQuestion]) -> Iterator[FoundProblem]:
        """Yield the problems of the questions in their order; raises GraphError if the graph is lost."""
        for question in questions:
            queries = [] if question.cypher is None else [question.cypher]
            for number, query in enumerate([*queries, *question.readings]):
                answer = question.answer if number == 0 else None
                for problem, detail in self._of_query(query, answer):
                    yield FoundProblem(question.id, problem, detail)

    def _of_query(self, query: str, answer: list[list[Any]] | None) -> Iterator[tuple[Problem, str]]:
        parsed = parse(query)
        values = values_of(parsed)
        first = self._executor.run_hashed(query, values)
        if not isinstance(first, HashedTable):
            slow = first.status == "timeout"
            yield ("slow" if slow else "failed"), f"{first.status}: {first.message or ''}".rstrip(": ")
            return
        if first.truncated:
            yield "truncated", f"more than {first.row_count:,} rows"
            return
        if not first.row_count and answer != []:
            yield "empty", ""
        second = self._executor.run_hashed(query, values)
        if not isinstance(second, HashedTable) or Counter(sorted_rows(first)) != Counter(sorted_rows(second)):
            yield "non_deterministic", ""
        elif answer is not None:
            yield from _other_answer(self._executor.run(query), answer, values)
        if cut := without_cut(parsed):
            order = with_sort_keys(parse(cut.text))
            whole = self._executor.run_hashed(order.text if order and order.text else cut.text, values)
            if isinstance(whole, HashedTable) and not whole.truncated:
                keys = order.keys if order and order.text else ()
                groups = sort_groups(whole, keys) if keys else [0] * whole.row_count
                for place in (cut.first, cut.last):
                    if place and place < whole.row_count and _is_tie(whole, groups, place):
                        yield "order_dependent", f"rows {place} and {place + 1} are sorted alike"


def _is_tie(table: HashedTable, groups: list[int], place: int) -> bool:
    """Whether the rows on both sides of a cut are sorted alike, and differ."""
    size = table.width * HASH_BYTES
    before, after = (table.hashes[at * size : (at + 1) * size] for at in (place - 1, place))
    return groups[place - 1] == groups[place] and before != after


def _other_answer(found: Execution, answer: list[list[Any]], values: Values) -> Iterator[tuple[Problem, str]]:
    if found.truncated:
        return
    # As EX compares: the last digits of an average depend on the order in which it was added up.
    expected, returned = (
        Counter(tuple(hash_value(value, values) for value in row) for row in rows)
        for rows in (answer, found.rows)
    )
    if expected != returned:
        missing, extra = (expected - returned).total(), (returned - expected).total()
        yield (
            "other_answer",
            f"{missing:,} stored rows are not returned, {extra:,} returned rows are not stored",
        )
