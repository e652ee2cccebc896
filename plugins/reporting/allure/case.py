"""Attachments, cut where they are long: a page is for looking, the record holds all."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import allure
from allure_commons.types import AttachmentType

from retrocypher.kg.labels.error_labels import LABELS, name_of
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.judge.criteria import judgements_of
from retrocypher.plugins.judge.judgement import Judgement
from retrocypher.plugins.runs.record import Record, Round, is_of_answer
from retrocypher.plugins.scoring.verdict import claim_line, verification_lines

CAP = 6_000
"""Most characters of an attachment: 2,400 cases that all end in long rows stay under 60 MB."""


def attach_text(name: str, body: str) -> None:
    """Attach a text.

    Args:
        name: What it is.
        body: The text; what is over `CAP` characters is left out, and its end says so.
    """
    if len(body) > CAP:
        body = f"{body[:CAP]}\n\n… {counted(len(body) - CAP, 'more character')}: {_WHERE}"
    _attach(name, body, AttachmentType.TEXT)


def attach_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Attach rows as JSON, one a line: as easy to read as indented, and made in a tenth of the time.

    Args:
        name: What they are.
        rows: The rows; where they have more than `CAP` characters only the first are attached, as text.
    """
    lines: list[str] = []
    room = CAP
    for row in rows:
        line = json.dumps(row, ensure_ascii=False)
        if len(line) > room:
            more = len(rows) - len(lines)
            note = f"… the last {more:,} of {counted(len(rows), 'row')}: {_WHERE}"
            _attach(name, "\n".join([*lines, line[:room], note]), AttachmentType.TEXT)
            return
        lines.append(line)
        room -= len(line)
    body = ",\n".join(lines)
    _attach(name, f"[\n{body}\n]", AttachmentType.JSON)


_WHERE = "see the case in records.jsonl"


def _attach(name: str, body: str, kind: AttachmentType) -> None:
    # Half a surrogate pair is shown as an escape.
    allure.attach(body.encode("utf-8", "backslashreplace"), name=name, attachment_type=kind)


def errors_list(errors: Sequence[str], told: Mapping[str, str]) -> str:
    """Return the labels with what they mean, the primary one first.

    Args:
        errors: The ``errors`` of a record; one at least.
        told: What else there is to say, by what it is about.
    """
    items = "".join(f"<li>{_line(label)}</li>" for label in errors)
    more = "".join(f"<p><b>{escape(about)}</b>: {escape(text)}</p>" for about, text in told.items())
    return f"<p>What is wrong, the most likely cause first:</p><ol>{items}</ol>{more}"


def _line(label: str) -> str:
    known = LABELS.get(name_of(label))
    name = f"<code>{escape(label)}</code>"
    return name if known is None else f"{name}: {escape(known.meaning)}"


def scores_table(scores: Mapping[str, Any]) -> str:
    """Return the scores that are defined, one a line, and those by key, one a line.

    There are no columns: Allure takes every style, border and fixed width away, so that they would not be
    told apart.

    Args:
        scores: The ``scores`` of a record.
    """
    lines = [
        f"<b>{value:.3f}</b> {escape(name)}"
        for name, value in scores.items()
        if isinstance(value, int | float)
    ]
    by_key = [_of_key(key, each) for key, each in (scores.get("per_key") or {}).items()]
    return "".join(f"<p>{'<br>'.join(part)}</p><br>" for part in (lines, by_key) if part)


def _of_key(key: str, counts: Mapping[str, Any]) -> str:
    if counts["f1"] is None:
        return f"<b>{escape(key)}</b>: nothing expected and nothing returned"
    measured = f"F1 {counts['f1']:.3f}, precision {counts['precision']:.3f}, recall {counts['recall']:.3f}"
    matched = f" (column matched by {escape(counts['stage'])})" if counts["stage"] else " (no column)"
    return f"<b>{escape(key)}</b>: {measured}{matched}"


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
