"""Shows one case in Allure: what was asked, what came back, what was expected and what differs."""

from collections.abc import Mapping, Sequence
from typing import Any

import allure

from kg.labels import name_of
from plugins.allure._attach import attach_rows, attach_text
from plugins.allure._errors import errors_list
from plugins.allure._scores import scores_table
from plugins.answering import claim_line, verification_lines
from plugins.judge import Judgement, judgements_of
from plugins.records import Record, Round, is_of_answer
from plugins.terminal import counted


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
    told: Mapping[str, str],
) -> None:
    """Describe the running test to Allure; does nothing where Allure is off.

    Args:
        record: The case's record.
        messages: The messages of its rounds, by their hash.
        gold: The expected rows.
        difference: What is missing from the answer and what it has too much, as text.
        told: What else there is to say of a failed case, by what it is about.
    """
    _label(record)
    if record.scores is not None:
        parts = [scores_table(record.scores)] + ([errors_list(record.errors, told)] if record.errors else [])
        allure.dynamic.description_html("".join(parts))
    attach_text("question", record.question)
    for number, turn in enumerate(record.rounds, 1):
        _show_round(number, turn, messages)
    if record.execution is not None:
        _show_execution(record.execution)
        with allure.step(_verdict(record, difference)):
            attach_text("reference Cypher", record.reference_cypher)
            attach_rows("gold", gold)
            if difference:
                attach_text("difference", difference)
    if record.answer is not None:
        _show_answer(record, record.answer)
    for variant, judgement in judgements_of(record.to_json()):
        _show_judgement(variant.replace("_", " "), judgement)


def _show_answer(record: Record, answer: str) -> None:
    lines = [*verification_lines(record.verification)] if record.verification else []
    with allure.step(f"Answer{f': {lines[0]}' if lines else ''}"):
        attach_text("written answer", answer or "(empty)")
        if record.claims:
            attach_text("claims", "\n".join([*lines, "", *map(claim_line, record.claims)]))


def _label(record: Record) -> None:
    allure.dynamic.title(record.question)
    allure.dynamic.epic(record.setting)
    allure.dynamic.feature(record.task)
    loop = "" if record.loop == "none" else f" {record.loop}"
    allure.dynamic.story(f"{record.prompt} {record.shot}{loop}")
    allure.dynamic.parameter("case", _Plain(record.case_id))
    for name in ("setting", "task", "prompt", "shot", "loop", "model"):
        allure.dynamic.label(name, getattr(record, name))
        allure.dynamic.parameter(name, _Plain(getattr(record, name)))
    if record.setting == "multi_step":
        allure.dynamic.parameter("steps", record.steps)
    if record.errors:
        allure.dynamic.tag(*dict.fromkeys(map(name_of, record.errors)))
        allure.dynamic.label("error", record.errors[0])
        # Excluded: a parameter that changes with the outcome would part a case from its history.
        allure.dynamic.parameter("error", _Plain(record.errors[0]), excluded=True)


def _show_round(number: int, turn: Round, messages: Mapping[str, Sequence[Mapping[str, str]]]) -> None:
    tokens = (
        ""
        if turn.tokens is None
        else ", " + ", ".join(f"{n} {kind} tokens" for kind, n in turn.tokens.items())
    )
    verdict = "" if turn.verdict is None else f": {turn.verdict}"
    with allure.step(f"Round {number}: {turn.role}{verdict}, {turn.time_s:.2f} s{tokens}"):
        if turn.messages_sha256 is not None:
            # A run that still goes on has cases whose messages were not there when they were read.
            if turn.messages_sha256 in messages:
                attach_text("messages", _conversation(messages[turn.messages_sha256]))
            attach_text("answer", turn.answer)
        if turn.cypher is not None or not is_of_answer(turn.role):
            attach_text("Cypher", turn.cypher or "(no query)")
        if turn.findings:
            attach_rows("findings", turn.findings)


def _show_execution(execution: Mapping[str, Any]) -> None:
    cut = ", cut at the cap" if execution["truncated"] else ""
    rows = f"{counted(execution['row_count'], 'row')}{cut}"
    with allure.step(f"Execution: {execution['status']}, {rows} in {execution['time_s']:.3f} s"):
        if execution["message"]:
            attach_text("message", f"{execution['code'] or ''} {execution['message']}".strip())
        attach_rows("rows", [dict(zip(execution["columns"], row, strict=True)) for row in execution["rows"]])
    if "fallback" in execution:
        _show_fallback(execution["fallback"])


def _show_judgement(variant: str, judgement: Judgement) -> None:
    error = judgement.error or {}
    said = f"no score ({error.get('kind')})" if judgement.score is None else f"{judgement.score:.3f}"
    with allure.step(f"Judge {judgement.model}, {variant}: {said}"):
        attach_text("reason", judgement.reason or str(error.get("message")))


def _show_fallback(fallback: Mapping[str, Any]) -> None:
    worth = f"{fallback['row_count']:,} rows, F1 {fallback['scores']['f1']:.3f}, not counted for the case"
    with allure.step(f"Fallback ({fallback['reason']}): {worth}"):
        attach_text("Cypher", fallback["cypher"] or "(no molecule of the question is in the graph)")
        attach_rows("rows", [dict(zip(fallback["columns"], row, strict=True)) for row in fallback["rows"]])


def _verdict(record: Record, difference: str) -> str:
    scores = record.scores or {}
    precise = f"precision {scores['precision']:.3f}, recall {scores['recall']:.3f}"
    return f"Score: F1 {scores['f1']:.3f}, {precise}{'' if difference else '; no difference from gold'}"


def _conversation(asked: Sequence[Mapping[str, str]]) -> str:
    return "\n\n".join(f"--- {message['role']} ---\n{message['content']}" for message in asked)
