"""Runs to report on: real questions, and answers of all kinds."""

from collections.abc import Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from retrocypher.kg.questions.question import TASKS, Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.runs.record import Record
from support.records import record_of, write_run

_NAMES = ("precision", "recall", "f1", "row_f1", "bleu", "meteor", "rouge_l")
GOOD = dict(zip(_NAMES, (1.0, 1.0, 1.0, 1.0, 0.9, 0.8, 0.9), strict=True))
BAD = dict(zip(_NAMES, (0.5, 0.25, 1 / 3, 0.0, 0.7, 0.9, 0.6), strict=True))
MANIFEST: Mapping[str, Any] = {"exit_status": 1, "started": "2026-01-02T03:04:05+00:00"}


@cache
def some_questions(each: int = 6) -> list[Question]:
    """Return the first questions of each task."""
    questions = load_questions().questions
    return [q for task in TASKS for q in [q for q in questions if q.task == task][:each]]


def answered(question: Question, right: bool, **fields: Any) -> Record:
    """Return the record of a question, answered rightly or not."""
    label = {**{"prompt": "P5", "shot": "ZS", "loop": "none", "model": "m"}, **fields}
    name = "-".join([question.id, *(str(label[part]) for part in ("prompt", "shot", "loop", "model"))])
    values: dict[str, Any] = {
        "cypher": question.reference_cypher if right else "MATCH (n:Molecule) RETURN n.name AS reactants",
        "execution": {
            "status": "ok",
            "code": None,
            "message": None,
            "columns": ["reactants"],
            "rows": [["CCO"]],
            "row_count": 1,
            "truncated": False,
            "time_s": 0.01,
        },
        "scores": dict(GOOD if right else BAD),
        "errors": [] if right else ["missing_component:agents"],
        "passed": right,
    }
    return record_of(name, of=question, **{**values, **fields})


def a_run(folder: Path, **fields: Any) -> Path:
    """Write a run in which each third case failed, with one shot and another."""
    questions = some_questions()
    records = [
        answered(question, bool(number % 3), shot=shot, **fields)
        for shot in ("ZS", "1S-D-S")
        for number, question in enumerate(questions)
    ]
    return write_run(folder, records, questions, {**MANIFEST, "cases": len(records)})


class Read(HTMLParser):
    """What stands in a page: its tags with their attributes, and the text of each row of its tables."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self._within = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td") and self.rows:
            self.rows[-1].append("")
            self._within = True

    def handle_endtag(self, tag: str) -> None:
        self._within = self._within and tag not in ("th", "td")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._within:
            self.rows[-1][-1] += data
