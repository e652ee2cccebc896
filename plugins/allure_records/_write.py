"""A run directory in, Allure results out; neither model nor graph is asked."""

from dataclasses import dataclass
from pathlib import Path

from plugins.allure import ResultWriter, lost_cases, lost_records, show_run, write_lost
from plugins.allure_records._folder import replaced
from plugins.allure_records._times import times_of
from plugins.allure_records._work import Job, Results
from plugins.parts import chunks_of, cores, in_processes
from plugins.records import RECORDS, read_manifest, read_questions, read_summary
from plugins.scoring import key_encoder_named

_FEW = 150
"""As many results are written while a process starts."""

_MOST = 8
"""Processes; each may hold a record with all of its rows."""

_LOST = "a process that wrote results was ended, perhaps for want of memory; the results before stay"


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes:
        results: The folder.
        cases: How many cases with a record.
        lost: How many cases that broke off, and have none.
    """

    results: Path
    cases: int
    lost: int


def write_results(run: Path, results: Path) -> Written:
    """Write the Allure results of a run.

    Args:
        run: The run directory.
        results: Folder of the results; results that are there already are replaced.

    Raises:
        InputError: If the folder is not a run, the results cannot be written, or the run matched keys by an
            encoder that cannot be had here.
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    manifest, summary, questions = read_manifest(run), read_summary(run), read_questions(run)
    lost = lost_cases(summary.get("lost_cases", ())) if manifest else set()
    if (encoder := manifest.get("options", {}).get("key_encoder")) is not None:
        # Before a folder is made.
        key_encoder_named(encoder)
    times = times_of(run / RECORDS, manifest)
    parts = list(chunks_of(run))
    processes = 1 if times.cases <= _FEW else min(cores(), _MOST)
    with replaced(results) as folder:
        job = Job(run, folder, manifest.get("graph", {}).get("schema"), encoder, frozenset(lost), times)
        cases = sum(in_processes(Results, job, parts, processes, f"{run}: {_LOST}"))
        with ResultWriter(folder) as writer:
            broken = write_lost(writer, lost_records(lost, manifest, questions), times.end)
        show_run(folder, manifest, cases, summary.get("selected_cases") or cases)
    return Written(results, cases, broken)
