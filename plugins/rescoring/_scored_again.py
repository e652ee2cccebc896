"""One record scored and labelled again."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from kg.execution import Execution
from kg.questions import Question
from plugins.assessment import Assessor
from plugins.replay import Call, calls_of

_RESULT = "result"


class Again(NamedTuple):
    """A record that was scored again.

    Attributes:
        record: The record.
        left: How many ``result``s of its rounds could not be made again, for their rows are not on record.
    """

    record: dict[str, Any]
    left: int = 0


def scored_again(record: dict[str, Any], question: Question, assessor: Assessor) -> Again:
    """Return a record with scores, labels and ``passed`` as they are made now.

    What a loop did, what came of queries and what answers cost stays. A record without scores, that of an
    infrastructure error, is returned as it is.

    Args:
        record: A record as in ``records.jsonl``; it is not changed.
        question: Its question, in any wording.
        assessor: Makes the scores.

    Raises:
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    execution = record["execution"]
    if record["scores"] is None or execution is None:
        return Again(record)
    found = assessor.case(question, record["cypher"], execution)
    again = {**record, "scores": found.scores, "errors": found.labels, "passed": found.passed}
    if execution.get("fallback") is not None:
        again["execution"] = {**execution, "fallback": assessor.fallback(question, execution["fallback"])}
    rounds, left = _rounds(record, question, assessor)
    return Again({**again, "rounds": rounds}, left)


def _rounds(
    record: Mapping[str, Any], question: Question, assessor: Assessor
) -> tuple[list[dict[str, Any]], int]:
    """The rounds with their queries' ``result``s, and how many of those stay as they are."""
    findings_of_all = (each for turn in record["rounds"] for each in turn["findings"])
    if not any(_tells_result(each) for each in findings_of_all):
        return record["rounds"], 0
    executions: dict[Call, Execution] = dict(calls_of(record))
    rounds, left = [], 0
    for turn in record["rounds"]:
        cypher, findings = turn["cypher"], []
        for each in turn["findings"]:
            if _tells_result(each):
                execution = _execution(cypher, executions)
                left += execution is None
                if execution is not None:
                    each = {_RESULT: assessor.query(question, cypher, execution.to_json())}
            findings.append(each)
        rounds.append({**turn, "findings": findings})
    return rounds, left


def _tells_result(finding: Any) -> bool:
    return isinstance(finding, dict) and _RESULT in finding


def _execution(cypher: str | None, executions: Mapping[Call, Execution]) -> Execution | None:
    if cypher is None or not cypher.strip():
        return Execution("no_query")
    return executions.get(Call("run", cypher))
