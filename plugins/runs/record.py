"""The record: one JSON line a case, and all that is needed to score it again.

The docstring below a field is its documentation; docs/records.md is generated from them.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from retrocypher.kg.execution.execution import Status

SCHEMA_VERSION = 1

JsonValue = Any
"""A value as JSON holds it: null, a boolean, number, string, list or object. Open parts of records have it."""

Variant = Literal["with_reference", "without_reference"]


class InfrastructureError(Struct):
    """Why a case could not be run or judged."""

    stage: str
    """What could not be asked: `model`, `graph` or `judge`. With `judge` the case has its scores."""
    kind: str
    """Kind of failure, such as `not_cached` or `NotRecorded`."""
    message: str
    """What happened."""


class KeyScore(Struct):
    """How well one key of the gold answer was returned."""

    # Filled from plugins.scoring.single_step: see there for the fields.


class Scores(Struct):
    """The scores of a case; null where one is not defined."""

    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    per_key: dict[str, JsonValue] | None = None
    focus_f1: float | None = None
    row_f1: float | None = None
    unmatched_columns: list[str] | None = None
    exact_path_precision: float | None = None
    exact_path_recall: float | None = None
    exact_path_f1: float | None = None
    partial_path_recall: float | None = None
    bleu: float | None = None
    meteor: float | None = None
    rouge_l: float | None = None

    def value(self, metric: str) -> float | None:
        """Return the score of one of `METRICS`."""
        found: float | None = getattr(self, metric)
        return found


class Fallback(Struct, kw_only=True):
    """Rows that the loop `guarded` looked up for the molecules of the question; never rows of the query."""

    reason: str
    entities: list[JsonValue]
    resolved: list[str]
    hops: int
    cypher: str
    status: Status
    code: str | None = None
    message: str | None = None
    columns: list[str] = field(default_factory=list)
    rows: list[list[JsonValue]] = field(default_factory=list)
    row_count: int = 0
    truncated: bool = False
    time_s: float = 0.0
    scores: Scores | None = None
    passed: bool = False


class RecordedExecution(Struct, kw_only=True):
    """What running the query of a case gave."""

    status: Status
    """How the query ended."""
    code: str | None = None
    """Neo4j's status code."""
    message: str | None = None
    """The server's message, or the reason."""
    columns: list[str] = field(default_factory=list)
    """Names of the columns."""
    rows: list[list[JsonValue]] = field(default_factory=list)
    """Values in column order."""
    row_count: int = 0
    """Number of rows."""
    truncated: bool = False
    """Whether a cap cut the result."""
    time_s: float = 0.0
    """Seconds of the deciding attempt, planning included."""
    fallback: Fallback | UnsetType = UNSET
    """With the loop `guarded`: what was returned instead of an empty result."""


class Round(Struct):
    """One completion, or one step of a loop."""

    role: str
    messages_sha256: str | None
    answer: str
    cypher: str | None
    verdict: str | None = None
    findings: list[JsonValue] = field(default_factory=list)
    time_s: float = 0.0
    tokens: dict[str, int] | None = None
    cost: float | None = None
    cached: bool = False


class Explanation(Struct):
    """What is wrong with a case, for a person to read; at most 20,000 characters of difference."""

    difference: list[str] = field(default_factory=list)
    """What the result lacks (`-`) and what it has too much (`+`), a line each; empty if it is right."""
    why: dict[str, str] = field(default_factory=dict)
    """For a failed case, where there is something to say: `finding` (what the text of the query shows of the
    primary label), `focus` (the requested key alone is right), `loop` (what the loop did)."""


class Record(Struct, kw_only=True):
    """One case, whole."""

    schema_version: int = SCHEMA_VERSION
    case_id: str
    question_id: str
    task: str
    setting: str
    steps: int
    prompt: str
    shot: str
    loop: str
    model: str
    exemplar_id: str | None = None
    question: str = ""
    reference_cypher: str = ""
    phrasing: int = 1
    rounds: list[Round] = field(default_factory=list)
    cypher: str | None = None
    execution: RecordedExecution | None = None
    graph_calls: list[JsonValue] = field(default_factory=list)
    scores: Scores | None = None
    errors: list[str] = field(default_factory=list)
    judge: JsonValue = None
    answer: str | None = None
    claims: list[JsonValue] | None = None
    verification: JsonValue = None
    infrastructure_error: InfrastructureError | None = None
    passed: bool = False
    explanation: Explanation | UnsetType = UNSET
    """What is wrong with the case; absent if nothing is, and in records of earlier versions."""


def fields_of(part: Struct) -> dict[str, Any]:
    """Return the fields of a struct that are set, by name; parts are shared, not copied."""
    values = ((name, getattr(part, name)) for name in part.__struct_fields__)
    return {name: value for name, value in values if value is not UNSET}


def record_from(value: Mapping[str, Any]) -> Record:
    """Read one line of `records.jsonl`; open parts are shared, not copied. Unknown fields are ignored.

    Raises:
        msgspec.ValidationError: A field is missing or of another type.
    """
    return msgspec.convert(value, Record)


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
