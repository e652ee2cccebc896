"""A run scored again from its records alone."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugins.ledger import Ledger
from plugins.parts import chunks_of, cores, in_processes
from plugins.records import MANIFEST, no_run, read_manifest, read_summary, read_targets
from plugins.rescoring._tally import Tally
from plugins.rescoring._work import Job, Scoring
from plugins.rescoring._write import Written, write_beside, write_in_place
from plugins.scoring import key_encoder_named
from plugins.summary import Summary

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
