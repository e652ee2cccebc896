"""Which rounds asked a model, which belong to the written answer, and which cases were run."""

from collections.abc import Mapping
from typing import Any

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
