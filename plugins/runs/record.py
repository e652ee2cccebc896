"""The record: one JSON line a case, and all that is needed to score it again."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

SCHEMA_VERSION = 1


@dataclass(slots=True)
class Round:
    """One step on the way to the final query; fields as in the record contract.

    ``messages_sha256`` is None where no model was asked.
    """

    role: str
    messages_sha256: str | None
    answer: str
    cypher: str | None
    verdict: str | None = None
    findings: list[Any] = field(default_factory=list)
    time_s: float = 0.0
    tokens: dict[str, int] | None = None
    cost: float | None = None
    cached: bool = False


@dataclass(slots=True)
class Record:
    """One case, whole; fields as in the record contract."""

    case_id: str
    question_id: str
    task: str
    setting: str
    steps: int
    prompt: str
    shot: str
    loop: str
    model: str
    exemplar_id: str | None
    question: str
    reference_cypher: str
    phrasing: int = 1
    rounds: list[Round] = field(default_factory=list)
    cypher: str | None = None
    execution: dict[str, Any] | None = None
    graph_calls: list[dict[str, Any]] = field(default_factory=list)
    scores: dict[str, Any] | None = None
    errors: list[str] = field(default_factory=list)
    judge: dict[str, Any] | None = None
    answer: str | None = None
    claims: list[Any] | None = None
    verification: dict[str, Any] | None = None
    infrastructure_error: dict[str, str] | None = None
    passed: bool = False
    schema_version: int = SCHEMA_VERSION

    def to_json(self) -> dict[str, Any]:
        """Return the record as one JSON object, ``schema_version`` first; parts are shared, not copied."""
        body = _shallow(self)
        body["rounds"] = [_shallow(turn) for turn in self.rounds]
        return {"schema_version": body.pop("schema_version"), **body}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Record":
        """Read what `to_json` gave; parts are shared, not copied.

        Raises:
            ValueError: If it lacks a field, or has one that no record has.
        """
        try:
            return cls(**{**value, "rounds": [Round(**turn) for turn in value["rounds"]]})
        except (TypeError, KeyError) as error:
            raise ValueError(f"not a record ({error})") from error


def _shallow(part: Record | Round) -> dict[str, Any]:
    return {each.name: getattr(part, each.name) for each in fields(part)}


_OF_ANSWER = "answer:"
_OF_JUDGE = f"{_OF_ANSWER}judge:"
JUDGE_STAGE = "judge"
"""The one stage of an infrastructure error that comes after the scores."""


def asked_a_model(turn: Mapping[str, Any]) -> bool:
    """Return whether a round asked a model that reads messages, now or when its answer was first had.

    Such a call takes time. The models that look at the question alone take none, and of a text made once a
    run neither tokens nor time are told.
    """
    return turn["messages_sha256"] is not None and turn["time_s"] > 0


def is_of_answer(role: str) -> bool:
    """Return whether rounds of a role belong to the written answer, and not to the query."""
    return role.startswith(_OF_ANSWER)


def is_of_judge(role: str) -> bool:
    """Return whether rounds of a role are those of a judge that measures the written answer."""
    return role.startswith(_OF_JUDGE)


def answer_fault(record: Mapping[str, Any]) -> dict[str, str] | None:
    """Return why a written answer, its claims or its verdict are missing; None where nobody failed.

    Args:
        record: A record as in ``records.jsonl``.

    Returns:
        ``stage`` (``model``, ``graph`` or ``judge``), ``kind`` and ``message``, as of an infrastructure
        error.
    """
    for turn in record["rounds"]:
        if is_of_answer(turn["role"]) and turn["verdict"] == "error":
            fault: dict[str, str] = turn["findings"][-1]["error"]
            return fault
    return None


def is_whole(record: Mapping[str, Any]) -> bool:
    """Return whether a case has all that was asked for: scores, and an answer where one was to be written."""
    return record["infrastructure_error"] is None and answer_fault(record) is None


def was_run(record: Mapping[str, Any]) -> bool:
    """Return whether a case was asked, executed and scored, even where a judge could then not be asked."""
    error = record.get("infrastructure_error")
    return error is None or error.get("stage") == JUDGE_STAGE


METRICS = (
    "f1",
    "precision",
    "recall",
    "focus_f1",
    "row_f1",
    "exact_path_f1",
    "exact_path_precision",
    "exact_path_recall",
    "partial_path_recall",
    "bleu",
    "meteor",
    "rouge_l",
)
