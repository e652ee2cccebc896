"""A run scored again from its records alone."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from rich.console import Group, RenderableType
from rich.text import Text

from retrocypher.kg.errors import InputError
from retrocypher.kg.semantics.schema import parse_schema
from retrocypher.plugins.analysis.group import perfect_variations
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.formatting.text import counted, counted_table, one_line
from retrocypher.plugins.operations.rescored import Comparison, Tally, compared, scored_again
from retrocypher.plugins.runs.files import MANIFEST, MESSAGES, QUESTIONS, RECORDS, json_line, no_run
from retrocypher.plugins.runs.log import read_manifest, read_questions, read_summary, read_targets
from retrocypher.plugins.runs.manifest import code_facts
from retrocypher.plugins.runs.parallel import Chunk, chunks_of, cores, in_processes, records_of
from retrocypher.plugins.runs.run_directory import RunDirectory
from retrocypher.plugins.scoring.assessor import Assessor
from retrocypher.plugins.scoring.columns import key_encoder_named


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


_CHECKOUT = Path(__file__).parents[2]
_PARTIAL = ".partial"


@dataclass(frozen=True, slots=True)
class Written:
    """Records in the course of being written.

    Attributes:
        path: The folder of the run that they will be in.
        records: Where their lines go.
    """

    path: Path
    records: IO[bytes]
    _run: Path
    _folder: RunDirectory

    def finish(
        self,
        manifest: Mapping[str, Any],
        summary: Mapping[str, Any],
        *,
        told_as: str = "rescored_from",
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Put the records in their place, with manifest and summary; all lines are there.

        Args:
            manifest: The manifest of the run; it is told where the records are from.
            summary: The new summary.
            told_as: The name under which it is told.
            more: What else is told there.
        """
        self.records.close()
        origin = {
            "run": str(self._run.resolve()),
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            **code_facts(_CHECKOUT),
        }
        folder = self._folder.path
        # Records before the rest: scored again once more, a run that was cut off here is whole.
        Path(self.records.name).replace(folder / RECORDS)
        self._folder.write_manifest({**manifest, told_as: {**origin, **(more or {})}})
        self._folder.write_summary(summary)


@contextmanager
def write_beside(run: Path, out: Path) -> Iterator[Written]:
    """Write a new run directory; nothing is there unless all goes well.

    Args:
        run: The run that is scored again.
        out: The folder; it must be new or empty.

    Raises:
        InputError: If it holds anything, or cannot be written to.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"--out {out}: holds other files; name a new or an empty folder")
    unfinished = out.with_name(f".{out.name}{_PARTIAL}")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        with RunDirectory(unfinished) as folder, _records(unfinished) as records:
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
    """Replace records, manifest and summary of a run, once all goes well; no other process may write it.

    Args:
        run: The run directory.

    Raises:
        InputError: If another process holds it, or it cannot be written to.
    """
    partial = (run / RECORDS).with_suffix(_PARTIAL)
    try:
        with RunDirectory(run, go_on=True) as folder, partial.open("wb") as records:
            yield Written(run, records, run, folder)
    except OSError as error:
        raise InputError(
            f"{run}: cannot be written ({error.strerror}); write to another folder with --out"
        ) from error
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _records(folder: Path) -> Iterator[IO[bytes]]:
    with (folder / RECORDS).with_suffix(_PARTIAL).open("wb") as records:
        yield records


NO_ENCODER = "none"

_FEW = 400
"""As many records are done while a process starts."""

_LOST = (
    "a process that scored its records was ended, perhaps for want of memory; nothing was written. "
    "Run again with --workers 1."
)


@dataclass(frozen=True, slots=True)
class Rescored:
    """What came of it.

    Attributes:
        run: The run directory.
        threshold: F1 under which a case fails.
        key_encoder: Encoder stage of key matching; None without.
        tally: What changed.
        written: Where the records were written; None where they were not.
    """

    run: Path
    threshold: float
    key_encoder: str | None
    tally: Tally
    written: Path | None

    def to_json(self) -> dict[str, Any]:
        """Return what ``retrocypher rescore --json`` prints."""
        return {
            "run": str(self.run),
            "options": {"case_threshold": self.threshold, "key_encoder": self.key_encoder},
            **self.tally.to_json(),
            "written": None if self.written is None else str(self.written),
        }


def rescore(
    run: Path,
    *,
    out: Path | None = None,
    in_place: bool = False,
    threshold: float | None = None,
    key_encoder: str | None = None,
    workers: int | None = None,
) -> Rescored:
    """Make scores, labels and ``passed`` of a run again, and say what changed; nothing else is read anew.

    Args:
        run: The run directory.
        out: Folder of a new run directory to write; it must be new or empty.
        in_place: Whether the run's own records, summary and manifest are replaced.
        threshold: F1 under which a case fails; None for that of the run.
        key_encoder: ``NAME@THRESHOLD`` of the encoder stage of key matching, or ``none``; None for the run's.
        workers: How many processes; None for as many as there are cores.

    Raises:
        InputError: If the run or the folder cannot be used, or the encoder cannot be had.
        GraphError: The tables of Cypher's grammar cannot be had.
        RetroCypherError: A process is lost.
    """
    manifest = read_manifest(run)
    if "graph" not in manifest or "options" not in manifest:
        raise no_run(run, MANIFEST)
    options = manifest["options"]
    limit = options["case_threshold"] if threshold is None else threshold
    encoder = options["key_encoder"] if key_encoder is None else key_encoder
    encoder = None if encoder == NO_ENCODER else encoder
    if encoder is not None:
        key_encoder_named(encoder)
    targets = read_targets(run)
    chunks = list(chunks_of(run))
    tally, summary, ledger = Tally(), Summary(), Ledger(targets)
    job = Job(run, manifest["graph"]["schema"], limit, encoder, out is not None or in_place)
    with ExitStack() as stack:
        written: Written | None = None
        if out is not None:
            written = stack.enter_context(write_beside(run, out))
        elif in_place:
            written = stack.enter_context(write_in_place(run))
        few = sum(chunk.lines for chunk in chunks) <= _FEW
        processes = 1 if few else workers or cores()
        for done in in_processes(Scoring, job, chunks, processes, f"{run}: {_LOST}"):
            for case in done.cases:
                tally.add(case)
            for each in done.counted:
                summary.add(each.record, each.known_variations)
                ledger.add(each.record)
            if written is not None:
                written.records.write(done.lines)
        if written is not None:
            told = {**manifest, "options": {**options, "case_threshold": limit, "key_encoder": encoder}}
            written.finish(told, _summary(run, summary, ledger))
    return Rescored(run, limit, encoder, tally, None if written is None else written.path)


def _summary(run: Path, summary: Summary, ledger: Ledger) -> Mapping[str, Any]:
    """The summary of the run, with what only the run itself can know."""
    before, entries = read_summary(run), ledger.to_json()
    return {**before, **summary.to_json(), **({"ledger": entries} if entries or "ledger" in before else {})}


_SHOWN = 10


def render_rescored(rescored: Rescored) -> Group:
    """Return what changed, as lines and tables 80 columns wide.

    Args:
        rescored: What came of it.
    """
    return Group(*_parts(rescored))


def _parts(rescored: Rescored) -> Iterator[RenderableType]:
    told = rescored.to_json()
    records, unscored = counted(told["records"], "case"), counted(told["without_scores"], "case")
    yield Text(f"{one_line(told['run'])}: {told['rescored']:,} of {records} scored again")
    if told["without_scores"]:
        yield Text(f"{unscored} without scores, for infrastructure errors: as they are")
    if told["results_left"]:
        yield Text(
            f"{told['results_left']:,} results of rounds left as they are: the run did not keep their rows"
        )
    if not told["changed"]:
        yield Text("nothing changed")
    else:
        parts = ", ".join(f"{name} in {count:,}" for name, count in told["parts"].items())
        yield Text(f"{counted(told['changed'], 'case')} changed: {parts}")
        yield Text(f"passed: {told['passed']['before']:,} before, {told['passed']['after']:,} now")
        yield from _metrics(told["metrics"])
        yield from _labels(told["labels"])
        yield from _listed("pass or fail now", [_flip(each) for each in told["flipped"]])
        yield from _listed("largest changes", [_change(each) for each in told["largest"]])
    if told["written"] is not None:
        yield Text(f"written: {one_line(told['written'])}")
    elif told["changed"]:
        yield Text("nothing is written: --out DIR writes a new run, --in-place this one")


def _metrics(metrics: Mapping[str, Any]) -> Iterator[RenderableType]:
    changed = {name: told for name, told in metrics.items() if told["cases"]}
    if changed:
        table = counted_table("means", "metric", "before", "now", "difference", "cases changed")
        for name, told in changed.items():
            before, after = told["before"], told["after"]
            by = "" if before is None or after is None else f"{after - before:+.4f}"
            table.add_row(name, _number(before), _number(after), by, f"{told['cases']:,}")
        yield table


def _labels(labels: Mapping[str, Any]) -> Iterator[RenderableType]:
    changed = {name: told for name, told in labels.items() if told["gained"] or told["lost"]}
    if changed:
        table = counted_table("cases by label", "label", "before", "now", "gained", "lost")
        for name, told in changed.items():
            counts = (told[side] for side in ("before", "after", "gained", "lost"))
            table.add_row(one_line(name), *(f"{count:,}" for count in counts))
        yield table


def _listed(title: str, lines: Sequence[str]) -> Iterator[RenderableType]:
    if lines:
        yield Text(f"{title}:")
        yield from (Text(f"  {line}") for line in lines[:_SHOWN])
        if (more := len(lines) - _SHOWN) > 0:
            yield Text(f"  and {more:,} more (--json has them)")


def _flip(told: Mapping[str, Any]) -> str:
    verdict = "passes" if told["passed"] else "fails"
    return f"{one_line(told['case_id'])} {verdict}: F1 {told['f1_before']:.3f}, now {told['f1_after']:.3f}"


def _change(told: Mapping[str, Any]) -> str:
    before, after = _number(told["before"]), _number(told["after"])
    return f"{one_line(told['case_id'])}: {told['metric']} {before}, now {after}"


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.4f}"
