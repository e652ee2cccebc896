"""Rescores a run from its records alone, in several processes."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from msgspec import UNSET, Struct
from msgspec.structs import replace

from retrocypher.kg.errors import InputError
from retrocypher.kg.semantics.schema import parse_schema
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.operations.rescored import (
    CaseChange,
    Flip,
    LargestChange,
    MetricChange,
    Tally,
    rescored,
    rewritten,
    state_of,
)
from retrocypher.plugins.runs.files import MANIFEST, MESSAGES, QUESTIONS, RECORDS, json_line, no_run
from retrocypher.plugins.runs.log import Chunk, RunLog
from retrocypher.plugins.runs.manifest import code_facts
from retrocypher.plugins.runs.parallel import cores, in_processes
from retrocypher.plugins.runs.record import JsonValue, Record, fields_of
from retrocypher.plugins.runs.run_directory import RunDirectory
from retrocypher.plugins.scoring.abstention import AbstentionAssessor
from retrocypher.plugins.scoring.columns import key_encoder_named
from retrocypher.plugins.scoring.score import Assessor
from retrocypher.plugins.scoring.variations import of_perfect


class Job(Struct, frozen=True):
    """How a run is rescored, as plain values."""

    run: Path
    schema: str
    threshold: float
    key_encoder: str | None
    """``NAME@THRESHOLD`` of the encoder stage of key matching; None for none."""
    keep: bool


class Part(Struct):
    """A part of the records, rescored."""

    cases: list[CaseChange]
    lines: bytes
    counted: list[tuple[Record, list[str] | None]]
    """For the summary, if records are to be written: each new record without rows and completions, and how
    the query of a perfect case differs from the reference."""


class Rescorer:
    """Rescores parts of the records."""

    def __init__(self, job: Job) -> None:
        encoder = None if job.key_encoder is None else key_encoder_named(job.key_encoder).matcher()
        self._job = job
        self._run = RunLog(job.run)
        self._assessor = AbstentionAssessor(Assessor(parse_schema(job.schema), job.threshold, encoder))

    def __call__(self, chunk: Chunk) -> Part:
        """Rescore a part of the records; raise InputError if a line is no record of the run."""
        cases, lines, counted = [], [], []
        for line in self._run.record_lines(chunk):
            record = line.record
            question = self._run.questions.get(record.question_id)
            if question is None:
                where = f"{self._run.path / RECORDS}, line {line.number}"
                raise InputError(
                    f"{where}: questions.jsonl has no {record.question_id}; the two files are not of one run"
                )
            again = rescored(record, question, self._assessor)
            before = state_of(record)
            after = state_of(again.record) if again.parts else before
            cases.append(CaseChange(record.case_id, before, after, again.parts, again.left))
            if self._job.keep:
                same = not again.parts and record.explanation == again.record.explanation
                lines.append(line.raw if same else json_line(rewritten(line, again)).encode() + b"\n")
                counted.append((_slim(again.record), of_perfect(again.record)))
        return Part(cases, b"".join(lines), counted)


def _slim(record: Record) -> Record:
    execution = record.execution
    if execution is not None:
        fallback = replace(execution.fallback, rows=[]) if execution.fallback else execution.fallback
        execution = replace(execution, rows=[], fallback=fallback)
    rounds = [replace(turn, answer="") for turn in record.rounds]
    return replace(record, execution=execution, rounds=rounds, graph_calls=[])


_CHECKOUT = Path(__file__).parents[2]
_PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class Written:
    """Records that are being written."""

    path: Path
    """The folder of the run that they will be in."""
    records: IO[bytes]
    _run: Path
    _folder: RunDirectory

    def finish(
        self,
        manifest: Mapping[str, JsonValue],
        summary: Mapping[str, JsonValue],
        *,
        origin: str = "rescored_from",
        more: Mapping[str, JsonValue] | None = None,
    ) -> None:
        """Move the records to their place; ``origin`` is the field of the manifest that gets ``more``."""
        self.records.close()
        source = {
            "run": str(self._run.resolve()),
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            **code_facts(_CHECKOUT),
        }
        # Records before the rest: rescored once more, a run that was interrupted here is whole.
        Path(self.records.name).replace(self._folder.path / RECORDS)
        self._folder.write_manifest({**manifest, origin: {**source, **(more or {})}})
        self._folder.write_summary(summary)


@contextmanager
def write_beside(run: Path, out: Path) -> Iterator[Written]:
    """Write a new run directory, which appears only if everything succeeds; raise InputError if it cannot."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"--out {out}: holds other files; name a new or an empty folder")
    unfinished = out.with_name(f".{out.name}{_PARTIAL}")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        with RunDirectory(unfinished) as folder, (unfinished / f"records{_PARTIAL}").open("wb") as records:
            yield Written(out, records, run, folder)
        for name in (QUESTIONS, MESSAGES):
            if (run / name).is_file():
                shutil.copyfile(run / name, unfinished / name)
        unfinished.rename(out)
    except OSError as error:
        raise InputError(f"--out {out}: cannot be written ({error.strerror}); name another folder") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


@contextmanager
def write_in_place(run: Path) -> Iterator[Written]:
    """Replace records, manifest and summary if everything succeeds; raise InputError if the run is in use."""
    partial = (run / RECORDS).with_suffix(_PARTIAL)
    try:
        with RunDirectory(run, resume=True) as folder, partial.open("wb") as records:
            yield Written(run, records, run, folder)
    except OSError as error:
        raise InputError(
            f"{run}: cannot be written ({error.strerror}); write to another folder with --out"
        ) from error
    finally:
        partial.unlink(missing_ok=True)


NO_ENCODER = "none"

_FEW = 400
"""Number of records that are rescored in the time a process needs to start."""

_LOST = (
    "a process that rescored its records was killed, perhaps for lack of memory; nothing was written. "
    "Run again with --workers 1."
)


class RescoreOptions(Struct, frozen=True):
    """What a run was rescored with."""

    case_threshold: float
    key_encoder: str | None
    """Encoder stage of key matching; None without."""


class RescoreResult(Struct, frozen=True, kw_only=True):
    """What rescoring a run changed."""

    run: str
    options: RescoreOptions
    records: int
    rescored: int
    without_scores: int
    """Number of records without, because of an infrastructure error."""
    results_left: int
    """Number of results of rounds that could not be rescored."""
    changed: int
    """Number of records that differ in anything."""
    parts: dict[str, int]
    """Number of records that differ in each part."""
    passed: dict[str, int]
    """Number of cases that pass, ``before`` and ``after``."""
    metrics: dict[str, MetricChange]
    labels: dict[str, dict[str, int]]
    """By label, the number of cases with it, and that gained and lost it."""
    flipped: list[Flip]
    largest: list[LargestChange]
    written: str | None
    """Where the records were written; None if they were not."""


def rescore(
    run: RunLog,
    *,
    out: Path | None = None,
    in_place: bool = False,
    threshold: float | None = None,
    key_encoder: str | None = None,
    workers: int | None = None,
) -> RescoreResult:
    """Compute scores, labels and ``passed`` of a run again, and return what changed.

    Args:
        out: Folder of a new run directory to write; it must be new or empty.
        threshold: F1 below which a case fails; None for that of the run.
        key_encoder: ``NAME@THRESHOLD`` of the encoder stage of key matching, or ``none``; None for the run's.
        workers: Number of processes; None for one for each core.

    Raises:
        InputError: If the run or the folder cannot be used, or the encoder cannot be had.
        RetroCypherError: A process is lost.
    """
    manifest = run.manifest
    if manifest.graph is None or not manifest.options:
        raise no_run(run.path, MANIFEST)
    if manifest.suite is not UNSET:
        raise InputError(
            f"{run.path}: a run of the suite {manifest.suite.name}, whose scores need its graph. Repeat "
            "the run with --fresh: completions in the cache cost nothing."
        )
    options = manifest.known_options
    limit = options.case_threshold if threshold is None else threshold
    encoder = options.key_encoder if key_encoder is None else key_encoder
    if limit is UNSET or encoder is UNSET:
        missing = "--case-threshold" if limit is UNSET else "--key-encoder"
        raise InputError(f"{run.path / MANIFEST}: does not say {missing}; give it")
    encoder = None if encoder == NO_ENCODER else encoder
    if encoder is not None:
        key_encoder_named(encoder)
    tally, summary, ledger = Tally(), Summary(), Ledger(run.clusters)
    chunks = list(run.chunks())
    job = Job(run.path, manifest.graph.schema, limit, encoder, out is not None or in_place)
    settings = RescoreOptions(limit, encoder)
    with ExitStack() as stack:
        written: Written | None = None
        if out is not None:
            written = stack.enter_context(write_beside(run.path, out))
        elif in_place:
            written = stack.enter_context(write_in_place(run.path))
        few = sum(chunk.lines for chunk in chunks) <= _FEW
        processes = 1 if few else workers or cores()
        for part in in_processes(Rescorer, job, chunks, processes, f"{run}: {_LOST}"):
            for case in part.cases:
                tally.add(case)
            for record, variations in part.counted:
                summary.add(record, variations)
                ledger.add(record)
            if written is not None:
                written.records.write(part.lines)
        if written is not None:
            changed = {**manifest.options, **fields_of(settings)}
            written.finish({**run.manifest_json, "options": changed}, _summary(run, summary, ledger))
    return RescoreResult(
        run=str(run),
        options=settings,
        records=tally.records,
        rescored=tally.records - tally.unscored,
        without_scores=tally.unscored,
        results_left=tally.left,
        changed=tally.changed,
        parts=dict(sorted(tally.parts.items())),
        passed=tally.passed,
        metrics=tally.metrics,
        labels=tally.labels,
        flipped=tally.flipped,
        largest=tally.largest,
        written=None if written is None else str(written.path),
    )


def _summary(run: RunLog, summary: Summary, ledger: Ledger) -> dict[str, JsonValue]:
    """Return the summary of the run, with what only the run itself can know."""
    before, entries = run.summary_json, ledger.entries()
    after = summary.run_summary()
    after.ledger = entries if entries or "ledger" in before else UNSET
    return {**before, **fields_of(after)}
