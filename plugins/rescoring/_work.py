"""A part of the records, scored again in a process of its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.schema import parse_schema
from plugins.assessment import Assessor
from plugins.parts import Chunk, records_of
from plugins.records import RECORDS, json_line, read_questions
from plugins.rescoring._comparison import Comparison, compared
from plugins.rescoring._scored_again import scored_again
from plugins.scoring import key_encoder_named
from plugins.summary import perfect_variations


@dataclass(frozen=True, slots=True)
class Job:
    """How a run is scored again, as plain values.

    Attributes:
        run: The run directory.
        schema: Schema text of the graph it was on.
        threshold: F1 under which a case fails.
        key_encoder: ``NAME@THRESHOLD`` of the encoder stage of key matching; None for none.
        keep: Whether the records are to be written.
    """

    run: Path
    schema: str
    threshold: float
    key_encoder: str | None
    keep: bool


@dataclass(frozen=True, slots=True)
class Counted:
    """A record for the summary and the ledger: without rows and answers.

    Attributes:
        record: What they look at.
        variations: How the query of a perfect case differs from the reference; None of any other case.
    """

    record: dict[str, Any]
    variations: list[str] | None

    def known_variations(self, record: Mapping[str, Any]) -> list[str] | None:
        """Return how the query differs, which is known already."""
        return self.variations


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a part of the records.

    Attributes:
        cases: What became of each record.
        lines: The new lines, where they are to be written.
        counted: The new records for the summary, where they are to be written.
    """

    cases: list[Comparison]
    lines: bytes
    counted: list[Counted]


class Scoring:
    """Scores parts of the records again.

    Args:
        job: How.
    """

    def __init__(self, job: Job) -> None:
        encoder = None if job.key_encoder is None else key_encoder_named(job.key_encoder).matcher()
        self._job = job
        self._questions = read_questions(job.run)
        self._assessor = Assessor(parse_schema(job.schema), job.threshold, encoder)

    def __call__(self, chunk: Chunk) -> Done:
        """Score a part of the records again.

        Raises:
            InputError: If a line is not a record, or of a question that the run does not have.
            GraphError: The tables of Cypher's grammar cannot be had.
        """
        run = self._job.run
        cases, lines, counted = [], [], []
        for number, line, record in records_of(run, chunk):
            question = self._questions.get(record["question_id"])
            if question is None:
                where, named = f"{run / RECORDS}, line {number}", record["question_id"]
                raise InputError(f"{where}: questions.jsonl has no {named}; the two files are not of one run")
            again = scored_again(record, question, self._assessor)
            case = compared(record, again)
            cases.append(case)
            if self._job.keep:
                lines.append(json_line(again.record).encode() + b"\n" if case.parts else line)
                counted.append(Counted(_slim(again.record), perfect_variations(again.record)))
        return Done(cases, b"".join(lines), counted)


def _slim(record: Mapping[str, Any]) -> dict[str, Any]:
    execution = record["execution"]
    if execution is not None:
        execution = {**execution, "rows": []}
        if execution.get("fallback") is not None:
            execution["fallback"] = {**execution["fallback"], "rows": []}
    rounds = [{**turn, "answer": ""} for turn in record["rounds"]]
    return {**record, "execution": execution, "rounds": rounds, "graph_calls": []}
