"""Writes the Allure result of a case in its final form: one JSON file, and a file for each attachment."""

import json
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from allure_commons.utils import md5, platform_label

from retrocypher.kg.labels.error_labels import name_of
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.case_view import CaseError, CaseView, Label, failure_of
from retrocypher.plugins.runs.record import NO_LOOP, KeyScore, Record, RecordedExecution, Round, Scores

CAP = 6_000
"""Maximum characters of an attachment: 2,400 cases with long rows stay under 60 MB."""
_REST = "see the case in records.jsonl"
_PACKAGE = "benchmarks"
_PARAMETERS = ("setting", "task", "prompt", "shot", "loop", "model")
_TEXT, _JSON = ("text/plain", "txt"), ("application/json", "json")

Json = dict[str, Any]


class ResultWriter:
    """Writes the results of cases into a folder.

    The files of a case have the same names each time, so that a new result replaces the earlier one.

    Args:
        run: Identifies this run among others with results in the folder; empty if there are none.
    """

    def __init__(self, folder: Path, run: str = "") -> None:
        self.folder = folder
        self._run = run
        folder.mkdir(parents=True, exist_ok=True)

    def write(
        self,
        view: CaseView,
        start: float,
        stop: float,
        labels: Mapping[str, str] | None = None,
        captured: Mapping[str, str] | None = None,
    ) -> None:
        """Write the result of a case that ran from start to stop, in seconds of the epoch."""
        name = self._name(view.record.case_id)
        self.remove(view.record.case_id)
        result = _CaseResult(self.folder, name, round(1000 * stop))
        result.describe(view, round(1000 * start), labels or {})
        for what, text in (captured or {}).items():
            if text:
                result.attach_text(what, text)
        partial = self.folder / f"{name}-result.json.tmp"
        partial.write_text(json.dumps(result.fields, ensure_ascii=False), "utf-8", "backslashreplace")
        partial.replace(self._file(view.record.case_id))

    def has(self, case_id: str) -> bool:
        """Return whether a case of this run has a result."""
        return self._file(case_id).exists()

    def remove(self, case_id: str) -> None:
        """Remove the result of a case, if it has one."""
        if self.has(case_id):
            for file in self.folder.glob(f"{self._name(case_id)}-*"):
                file.unlink()

    def _name(self, case_id: str) -> str:
        return str(uuid5(NAMESPACE_URL, f"{self._run}\n{case_id}"))

    def _file(self, case_id: str) -> Path:
        return self.folder / f"{self._name(case_id)}-result.json"


class _CaseResult:
    """The result of one case as it is filled; attachments are written at once."""

    def __init__(self, folder: Path, name: str, stop: int) -> None:
        self._folder = folder
        self._name = name
        self._stop = stop
        self._attached = 0
        self.fields: Json = {"uuid": name, "stop": stop}
        self._part = self.fields

    def describe(self, view: CaseView, start: int, labels: Mapping[str, str]) -> None:
        record, function = view.record, f"test_{view.record.setting}"
        full_name = f"{_PACKAGE}.{function}#{function}"
        parameters = list(_parameters(record))
        counted_values = sorted((p["name"], p["value"]) for p in parameters if not p.get("excluded"))
        self.fields |= {
            "name": record.question,
            "start": start,
            **_status(view),
            "fullName": full_name,
            "testCaseId": md5(full_name),
            "historyId": md5(full_name, *(value for _, value in counted_values)),
            "titlePath": [_PACKAGE, f"{function}.py"],
            "parameters": parameters,
            "labels": [{"name": name, "value": value} for name, value in (*_labels(record), *labels.items())],
        }
        if record.scores is not None:
            why = _label_list(view.labels, view.explanation.why.texts) if view.labels else ""
            self.fields["descriptionHtml"] = score_lines(record.scores, record.numbers) + why
        self.attach_text("question", record.question)
        for number, turn in enumerate(record.rounds, 1):
            self._round(number, turn, view)
        if record.execution is not None and record.scores is not None:
            self._execution(record.execution)
            self._score(view, record.scores)
        if record.answer is not None:
            self._answer(view, record.answer)
        for variant, judgement in view.judgements:
            error = judgement.error
            score = f"{judgement.score:.3f}" if error is None else f"no score ({error.kind})"
            with self._step(f"Judge {judgement.model}, {variant.replace('_', ' ')}: {score}"):
                self.attach_text("reason", judgement.reason or (error.message if error else ""))

    def attach_text(self, name: str, text: str) -> None:
        """Attach a text; beyond `CAP` characters it is cut, with a note at its end."""
        if len(text) > CAP:
            text = f"{text[:CAP]}\n\n… {counted(len(text) - CAP, 'more character')}: {_REST}"
        self._attach(name, text, _TEXT)

    def attach_rows(self, name: str, rows: Sequence[Any], columns: Sequence[str] = ()) -> None:
        """Attach rows as JSON, one a line; beyond `CAP` characters only the first ones, as text.

        With columns, a row is a list of values in their order.
        """
        lines: list[str] = []
        room = CAP
        for row in rows:
            shown = dict(zip(columns, row, strict=True)) if columns else row
            line = json.dumps(shown, ensure_ascii=False)
            if len(line) > room:
                more = len(rows) - len(lines)
                note = f"… the last {more:,} of {counted(len(rows), 'row')}: {_REST}"
                self._attach(name, "\n".join([*lines, line[:room], note]), _TEXT)
                return
            lines.append(line)
            room -= len(line)
        self._attach(name, "[\n" + ",\n".join(lines) + "\n]", _JSON)

    def _attach(self, name: str, text: str, kind: tuple[str, str]) -> None:
        mime, ending = kind
        source = f"{self._name}-{self._attached:02}-attachment.{ending}"
        self._attached += 1
        # Half a surrogate pair is shown as an escape.
        (self._folder / source).write_bytes(text.encode("utf-8", "backslashreplace"))
        self._part.setdefault("attachments", []).append({"name": name, "source": source, "type": mime})

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        step: Json = {"name": name, "status": "passed", "start": self._stop, "stop": self._stop}
        self.fields.setdefault("steps", []).append(step)
        self._part = step
        yield
        self._part = self.fields

    def _round(self, number: int, turn: Round, view: CaseView) -> None:
        verdict = "" if turn.verdict is None else f": {turn.verdict}"
        title = f"Round {number}: {turn.role}{verdict}, {turn.time_s:.2f} s"
        if (tokens := turn.tokens) is not None:
            title += f", {tokens.prompt} prompt tokens, {tokens.completion} completion tokens"
        with self._step(title):
            if turn.messages_sha256 is not None:
                # While a run is in progress, the messages of the last cases may not be written yet.
                if (messages := view.messages.get(turn.messages_sha256)) is not None:
                    texts = (f"--- {message['role']} ---\n{message['content']}" for message in messages)
                    self.attach_text("messages", "\n\n".join(texts))
                self.attach_text("answer", turn.answer)
            if turn.cypher is not None or not turn.of_answer:
                self.attach_text("Cypher", turn.cypher or "(no query)")
            if turn.findings:
                self.attach_rows("findings", turn.findings)

    def _execution(self, execution: RecordedExecution) -> None:
        cut = ", cut at the cap" if execution.truncated else ""
        rows = f"{counted(execution.row_count, 'row')}{cut}"
        with self._step(f"Execution: {execution.status}, {rows} in {execution.time_s:.3f} s"):
            if execution.message:
                self.attach_text("message", f"{execution.code or ''} {execution.message}".strip())
            self.attach_rows("rows", execution.rows, execution.columns)
        if fallback := execution.fallback:
            worth = f"{fallback.row_count:,} rows, F1 {fallback.scores.f1:.3f}, not counted for the case"
            with self._step(f"Fallback ({fallback.reason}): {worth}"):
                self.attach_text("Cypher", fallback.cypher or "(no molecule of the question is in the graph)")
                self.attach_rows("rows", fallback.rows, fallback.columns)

    def _score(self, view: CaseView, scores: Scores) -> None:
        difference = "\n".join(view.explanation.difference)
        title = f"Score: F1 {scores.f1:.3f}, precision {scores.precision:.3f}, recall {scores.recall:.3f}"
        with self._step(title if difference else f"{title}; no difference from gold"):
            self.attach_text("reference Cypher", view.record.reference_cypher)
            self.attach_rows("gold", view.question.gold if view.question else ())
            if difference:
                self.attach_text("difference", difference)

    def _answer(self, view: CaseView, answer: str) -> None:
        lines = view.verification
        with self._step(f"Answer: {lines[0]}" if lines else "Answer"):
            self.attach_text("written answer", answer or "(empty)")
            if view.claims:
                self.attach_text("claims", "\n".join([*lines, "", *view.claims]))


def score_lines(scores: Scores, numbers: Mapping[str, float]) -> str:
    """Return the scores that are defined as HTML, one a line, and those by key, one a line.

    There are no columns: Allure removes every style, border and fixed width.
    """
    lines = [f"<b>{value:.3f}</b> {escape(name)}" for name, value in numbers.items()]
    by_key = [_key_line(key, each) for key, each in (scores.per_key or {}).items()]
    return "".join(f"<p>{'<br>'.join(part)}</p><br>" for part in (lines, by_key) if part)


def _key_line(key: str, found: KeyScore) -> str:
    if found.f1 is None:
        return f"<b>{escape(key)}</b>: nothing expected and nothing returned"
    measured = f"F1 {found.f1:.3f}, precision {found.precision:.3f}, recall {found.recall:.3f}"
    matched = f"column matched by {escape(found.stage)}" if found.stage else "no column"
    return f"<b>{escape(key)}</b>: {measured} ({matched})"


def _label_list(labels: Sequence[Label], why: Mapping[str, str]) -> str:
    lines = ((f"<code>{escape(each.label)}</code>", escape(each.meaning)) for each in labels)
    items = "".join(f"<li>{': '.join(filter(None, line))}</li>" for line in lines)
    more = "".join(f"<p><b>{escape(about)}</b>: {escape(text)}</p>" for about, text in why.items())
    return f"<p>What is wrong, the most likely cause first:</p><ol>{items}</ol>{more}"


def _status(view: CaseView) -> Json:
    error = failure_of(view)
    if error is None:
        return {"status": "passed"}
    message = "".join(traceback.format_exception_only(error)).rstrip()
    details = {"message": message, "trace": str(error).strip()}
    return {"status": "broken" if isinstance(error, CaseError) else "failed", "statusDetails": details}


def _parameters(record: Record) -> Iterator[Json]:
    yield {"name": "case", "value": record.case_id}
    yield from ({"name": name, "value": getattr(record, name)} for name in _PARAMETERS)
    if record.setting == "multi_step":
        yield {"name": "steps", "value": str(record.steps)}
    if record.errors:
        # Excluded: if a parameter changes with the outcome, Allure does not find the history of a case.
        yield {"name": "error", "value": record.errors[0], "excluded": True}


def _labels(record: Record) -> Iterator[tuple[str, str]]:
    """Yield the labels that group a case, and those that allure-pytest gives every test."""
    function = f"test_{record.setting}"
    loop = "" if record.loop == NO_LOOP else f" {record.loop}"
    yield "epic", record.setting
    yield "feature", record.task
    yield "story", f"{record.prompt} {record.shot}{loop}"
    yield from ((name, getattr(record, name)) for name in _PARAMETERS)
    yield from (("tag", name) for name in dict.fromkeys(map(name_of, record.errors)))
    if record.errors:
        yield "error", record.errors[0]
    yield "tag", record.setting
    yield "parentSuite", _PACKAGE
    yield "suite", function
    yield "framework", "pytest"
    yield "language", platform_label()
    yield "package", f"{_PACKAGE}.{function}"
