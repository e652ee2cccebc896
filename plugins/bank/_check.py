"""Whether a candidate behaves as its operator declares."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from kg.execution import Execution
from kg.questions import Question
from plugins.bank._candidates import Candidate
from plugins.bank._entry import BankEntry
from plugins.bank._plan import Cell
from plugins.bank._short import shortened
from plugins.scoring import score

_ENDINGS = ("syntax_error", "runtime_error", "refused", "no_query")
"""Labels that are statuses too."""


class Executor(Protocol):
    """Runs a query under guard."""

    def run(self, cypher: str | None) -> Execution:
        """Run a query; raises GraphError where the graph cannot be asked."""


@dataclass(slots=True)
class Checked:
    """What came of a cell.

    Attributes:
        cell: The cell.
        kept: The candidates that behave, as entries none of which is held out yet.
        dropped: How many of the others there were, by reason: ``no effect`` (an error or a matter of style
            after which the result is as before), ``score stays`` (an error after which only rows differ),
            ``score falls`` (a change that should not matter), ``other status`` (an error that shows as one
            of another label, as a syntax error does), ``base differs`` (the variation in which an error was
            planted does not score 1 itself).
    """

    cell: Cell
    kept: list[BankEntry] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def check(cell: Cell, candidates: Iterable[Candidate], executor: Executor) -> Checked:
    """Run candidates until enough behave or enough were tried."""
    checked = Checked(cell)
    for candidate in candidates:
        if len(checked.kept) >= cell.wanted or checked.dropped.total() + len(checked.kept) >= cell.tried:
            break
        execution = executor.run(candidate.mutant.query)
        scores = score(candidate.question, execution, candidate.mutant.query, text_metrics=False)
        reason = _reason(candidate, execution, scores, executor)
        if reason:
            checked.dropped[reason] += 1
        else:
            checked.kept.append(_entry(candidate, execution, scores))
    return checked


def is_right(status: str, scores: dict[str, Any]) -> bool:
    """Whether a result is right as the bank takes it: ``f1`` and ``row_f1`` are 1."""
    return status == "ok" and scores["f1"] == 1.0 and scores["row_f1"] in (None, 1.0)


def _reason(
    candidate: Candidate, execution: Execution, scores: dict[str, Any], executor: Executor
) -> str | None:
    right, kind = is_right(execution.status, scores), candidate.mutant.kind
    if kind == "neutral":
        return None if right else "score falls"
    if kind == "style" and not right:
        return "score falls"
    if kind == "error" and execution.status not in _statuses(candidate.mutant.label):
        return "other status"
    if kind == "error" and not right:
        return "base differs" if candidate.base and not _base_is_right(candidate, executor) else None
    same = _result(execution) == _result(executor.run(candidate.question.reference_cypher))
    if same:
        return "no effect"
    return None if kind == "style" else "score stays"


def _statuses(label: str | None) -> tuple[str, ...]:
    return (label,) if label in _ENDINGS else ("ok", "timeout")


def _base_is_right(candidate: Candidate, executor: Executor) -> bool:
    execution = executor.run(candidate.base_cypher)
    scores = score(candidate.question, execution, candidate.base_cypher, text_metrics=False)
    return is_right(execution.status, scores)


def _result(execution: Execution) -> tuple[list[str], list[str]]:
    return execution.columns, sorted(map(repr, execution.rows))


def _entry(candidate: Candidate, execution: Execution, scores: dict[str, Any]) -> BankEntry:
    question: Question = candidate.question
    mutant = candidate.mutant
    return BankEntry(
        question_id=question.id,
        task=question.task,
        operator=mutant.operator,
        place=mutant.place,
        kind=mutant.kind,
        label=mutant.label,
        base=candidate.base,
        cypher=mutant.query,
        execution=shortened(execution).to_json(),
        scores=scores,
        held_out=False,
    )
