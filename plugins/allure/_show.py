"""Shows one case in Allure: what was asked, what came back, what was expected and what differs."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import allure
from allure_commons.types import AttachmentType

from plugins.records import Record, Round


class _Plain:
    """A text that Allure shows without quotation marks: it shows the repr of a parameter's value."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def show_case(
    record: Record,
    messages: Mapping[str, Sequence[Mapping[str, str]]],
    gold: Sequence[Mapping[str, Any]],
    difference: str,
) -> None:
    """Describe the running test to Allure; does nothing where Allure is off.

    Args:
        record: The case's record.
        messages: The messages of its rounds, by their hash.
        gold: The expected rows.
        difference: What is missing from the answer and what it has too much, as text.
    """
    _label(record)
    for number, turn in enumerate(record.rounds, 1):
        _show_round(number, turn, messages[turn.messages_sha256])
    if not record.rounds:
        for asked in messages.values():
            _text("messages", _conversation(asked))
    if record.execution is not None:
        _show_execution(record.execution)
        with allure.step(_verdict(record)):
            _text("reference Cypher", record.reference_cypher)
            _json("gold", gold)
            _text("difference", difference or "no difference")
            _json("scores", record.scores)


def _label(record: Record) -> None:
    allure.dynamic.title(record.question)
    allure.dynamic.epic(record.setting)
    allure.dynamic.feature(record.task)
    allure.dynamic.story(f"{record.prompt} {record.shot}")
    allure.dynamic.parameter("case", _Plain(record.case_id))
    for name in ("setting", "task", "prompt", "shot", "model"):
        allure.dynamic.label(name, getattr(record, name))
        allure.dynamic.parameter(name, _Plain(getattr(record, name)))
    if record.setting == "multi_step":
        allure.dynamic.parameter("steps", record.steps)


def _show_round(number: int, turn: Round, asked: Sequence[Mapping[str, str]]) -> None:
    tokens = (
        ""
        if turn.tokens is None
        else ", " + ", ".join(f"{n} {kind} tokens" for kind, n in turn.tokens.items())
    )
    with allure.step(f"Round {number}: the {turn.role} answers in {turn.time_s:.2f} s{tokens}"):
        _text("messages", _conversation(asked))
        _text("answer", turn.answer)
        _text("Cypher", turn.cypher or "(no query in the answer)")


def _show_execution(execution: Mapping[str, Any]) -> None:
    rows = f"{execution['row_count']:,} rows" + (", cut at the cap" if execution["truncated"] else "")
    with allure.step(f"Execution: {execution['status']}, {rows} in {execution['time_s']:.3f} s"):
        if execution["message"]:
            _text("message", f"{execution['code'] or ''} {execution['message']}".strip())
        _json("rows", [dict(zip(execution["columns"], row, strict=True)) for row in execution["rows"]])


def _verdict(record: Record) -> str:
    scores = record.scores or {}
    return f"Score: F1 {scores['f1']:.3f}, precision {scores['precision']:.3f}, recall {scores['recall']:.3f}"


def _conversation(asked: Sequence[Mapping[str, str]]) -> str:
    return "\n\n".join(f"--- {message['role']} ---\n{message['content']}" for message in asked)


def _text(name: str, body: str) -> None:
    allure.attach(body, name=name, attachment_type=AttachmentType.TEXT)


def _json(name: str, value: Any) -> None:
    body = json.dumps(value, ensure_ascii=False, indent=1)
    allure.attach(body, name=name, attachment_type=AttachmentType.JSON)
