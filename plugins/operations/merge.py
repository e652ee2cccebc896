"""Merges the shards of a run into one run directory."""

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import UNSET, Struct

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.clusters import clusters_of
from retrocypher.kg.questions.question import Question, task_place
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.summary import Summary, Usage
from retrocypher.plugins.operations.shards import (
    Index,
    Messages,
    ShardRun,
    index_cases,
    missing,
    read_lines,
    read_shards,
)
from retrocypher.plugins.reporting.allure.about import write_about
from retrocypher.plugins.runs.files import ALLURE
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import ExclusiveRerunEntry, Manifest
from retrocypher.plugins.runs.record import NO_LOOP, JsonValue, Record
from retrocypher.plugins.runs.run_directory import RunDirectory
from retrocypher.plugins.runs.summary import RunSummary

_OWN = ("started", "ended", "exit_status", "cases", "machine", "git", "versions")
_CONTINUED = "continued"
_OWN_OPTIONS = ("graph", "run_dir", "cache", "concurrency")
_Object = Mapping[str, JsonValue]


def merged_manifest(runs: Sequence[ShardRun], questions: int, exit_status: int) -> dict[str, JsonValue]:
    """Return the manifest of the whole run, with that of each shard in ``merged_from``.

    Fields that the shards share stay. A field in which they differ, which decides no record, becomes null;
    versions and commits are listed.
    """
    # As written, with fields that this version does not know.
    written = [run.log.manifest_json for run in runs]
    manifests = [run.manifest for run in runs]
    first, shard, waits = written[0], runs[0].shard, [each.standstill for each in manifests]
    common = {name: _common(each.get(name) for each in written) for name in first if name != _CONTINUED}
    return {
        **common,
        "started": min(filter(None, (each.started for each in manifests)), default=None),
        "ended": max(filter(None, (each.ended for each in manifests)), default=None),
        "exit_status": exit_status,
        "cases": shard.cases_in_all,
        "options": {**_common_fields(each.options for each in manifests), "shard": None},
        "loops": {**first["loops"], **_once(manifests)},
        "questions": {**first["questions"], "count": questions},
        "machine": _common_fields(each["machine"] for each in written),
        "versions": _listed(each.versions for each in manifests),
        "git": _listed(each["git"] or {} for each in written) or None,
        "graph": {**first["graph"], **_graph(runs)},
        "standstill": ExclusiveRerunEntry(
            sum(each.queries for each in waits if each), sum(each.seconds for each in waits if each)
        ),
        "key": shard.key,
        "shard": None,
        "merged_from": [_origin(run) for run in runs],
    }


def _origin(run: ShardRun) -> dict[str, JsonValue]:
    written, manifest = run.log.manifest_json, run.manifest
    return {
        "run": str(run.log),
        "number": run.shard.number,
        "of": run.shard.of,
        **{name: written[name] for name in _OWN},
        "options": {name: manifest.options.get(name) for name in _OWN_OPTIONS},
        "graph": {"kind": run.graph.kind, "version": run.graph.version, "notes": run.graph.notes},
        "answers": written.get("answers"),
        **({_CONTINUED: written[_CONTINUED]} if _CONTINUED in written else {}),
    }


def _graph(runs: Sequence[ShardRun]) -> dict[str, JsonValue]:
    kinds = sorted({run.graph.kind for run in runs})
    notes = dict.fromkeys(note for run in runs for note in run.graph.notes)
    return {"kind": ", ".join(kinds), "notes": list(notes)}


def _common_fields(objects: Iterable[_Object]) -> dict[str, JsonValue]:
    """Return the fields that objects share; null if they differ."""
    each = list(objects)
    return {
        name: _common(one.get(name) for one in each) for name in dict.fromkeys(n for one in each for n in one)
    }


def _listed(objects: Iterable[_Object]) -> dict[str, JsonValue]:
    """Return the fields of objects: different texts as a list with commas, and whether any flag is true."""
    each = list(objects)
    found: dict[str, JsonValue] = {}
    for name in dict.fromkeys(n for one in each for n in one):
        values = [one[name] for one in each if name in one]
        flags = all(isinstance(value, bool) for value in values)
        found[name] = any(values) if flags else ", ".join(dict.fromkeys(map(str, values)))
    return found


def _common(values: Iterable[JsonValue]) -> JsonValue:
    first, *others = values
    return first if all(other == first for other in others) else None


def _once(manifests: Sequence[Manifest]) -> dict[str, JsonValue]:
    """Return the completions made once for a run: every shard made its own, and paid for it."""
    known = [each.loops.once for each in manifests if each.loops.once is not UNSET]
    return {"once": [made for once in known for made in once]} if known else {}


class Totals:
    """Counts records of all shards as a session does."""

    def __init__(self, runs: Sequence[ShardRun], questions: Sequence[Question]) -> None:
        manifest = runs[0].manifest
        self._runs = runs
        self._looped = manifest.loops.names != [NO_LOOP]
        self._summary = Summary()
        self._ledger = Ledger(clusters_of(questions))
        answering = manifest.answering
        answer_models = answering.writers if answering else {}
        self._usage = Usage(
            {label: entry.label for label, entry in manifest.loops.players.items()},
            {label: entry.label for label, entry in answer_models.items()},
            answering.extractor.label if answering and answering.extractor else None,
        )
        for run in runs:
            self._usage.add_once(run.manifest.loops.once or ())

    def add(self, record: Record) -> None:
        """Add a record."""
        self._summary.add(record)
        self._ledger.add(record)
        self._usage.add(record)

    @property
    def failed(self) -> int:
        """Number of scored cases below the threshold."""
        return self._summary.failed

    def summary(self) -> RunSummary:
        """Return what ``summary.json`` of the merged run holds."""
        summary = self._summary.run_summary()
        summary.selected_cases, summary.lost_cases = self._selected(), self._crashed()
        summary.ledger = self._ledger.entries() if self._looped else UNSET
        return summary

    def manifest(self) -> dict[str, JsonValue]:
        """Return ``answers`` and ``counts`` of the manifest; each shard has a response cache of its own."""
        planned, lost = self._runs[0].shard.cases_in_all, len(self._crashed())
        counts = self._summary.counts(planned, self._selected(), lost)
        return {"answers": self._usage.counts(), "counts": counts}

    def _selected(self) -> int:
        return self._runs[0].shard.cases_in_all - sum(run.planned - run.selected for run in self._runs)

    def _crashed(self) -> list[str]:
        return sorted(case for run in self._runs for case in run.log.summary.lost_cases or ())


_ATTACHMENT = "-attachment"
_OF_A_CASE = re.compile(r"-(result|container)\.json$|-attachment")


def join_results(runs: Sequence[Path], into: Path) -> int:
    """Add the Allure results of cases to a run directory, attachments as links; return how many cases."""
    count = 0
    for results in (run / ALLURE for run in runs):
        for file in sorted(results.iterdir()) if results.is_dir() else ():
            if not _OF_A_CASE.search(file.name):
                continue
            target = into / ALLURE / file.name
            target.parent.mkdir(exist_ok=True)
            _put(file, target)
            count += file.name.endswith("-result.json")
    return count


def _put(file: Path, target: Path) -> None:
    # Attachments take most of the space and are never written again.
    if _ATTACHMENT in file.name:
        # Fails on another file system, and on one without links.
        with suppress(OSError):
            os.link(file, target)
            return
    shutil.copyfile(file, target)


_FAILED, _INCOMPLETE = 1, 16


class MergedShard(Struct, frozen=True):
    """A shard of a merged run."""

    run: str
    number: int


class MergedRun(Struct, frozen=True):
    """A merged run, as ``retrocypher merge --json`` prints it."""

    into: str
    of: int
    """Number of shards of the run."""
    shards: list[MergedShard]
    cases: int
    failed: int
    """Scored cases below the threshold."""
    infrastructure_errors: int
    """Cases without scores, because of an infrastructure error."""
    missing: list[str]
    """What is missing, one line each; empty for a whole run."""
    allure_results: int
    """Number of cases with an Allure result."""


def merge(paths: Sequence[Path], into: Path, *, partial: bool = False) -> MergedRun:
    """Merge shards into one run directory, which appears only if all succeeds, or raise InputError."""
    into = into.resolve()
    _require_empty(into)
    runs = read_shards(paths)
    questions = _questions(runs)
    totals = Totals(runs, questions)
    index = index_cases(runs, totals.add)
    lacking = missing(index)
    if lacking and not partial:
        raise InputError(
            f"{'; '.join(lacking)}. Run what is missing (repeat the command of a shard to resume it), or "
            "merge what there is with --partial"
        )
    status = _INCOMPLETE if lacking else _FAILED if totals.failed else 0
    manifest = merged_manifest(runs, len(questions), status) | totals.manifest()
    summary = totals.summary()
    results = _write(into, index, questions, summary, manifest)
    return MergedRun(
        into=str(into),
        of=runs[0].shard.of,
        shards=[MergedShard(str(run.log), run.shard.number) for run in runs],
        cases=summary.cases,
        failed=summary.failed,
        infrastructure_errors=summary.infrastructure_errors,
        missing=lacking,
        allure_results=results,
    )


def _write(
    into: Path,
    index: Index,
    questions: Sequence[Question],
    summary: RunSummary,
    manifest: _Object,
) -> int:
    unfinished = into.with_name(f".{into.name}.partial")
    messages = Messages(index.runs)
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        with RunDirectory(unfinished) as run:
            run.write_questions(questions)
            left = len(index.cases)
            for line in read_lines(index):
                left -= 1
                hashes = [turn["messages_sha256"] for turn in json.loads(line)["rounds"]]
                run.write_record(line, messages.take(hashes) | ({} if left else messages.rest()))
            run.write_manifest(manifest)
            run.write_summary(summary)
            if results := join_results([each.log.path for each in index.runs], unfinished):
                selected = summary.selected_cases or 0
                write_about(unfinished / ALLURE, RunLog(unfinished), summary.cases, selected)
        unfinished.rename(into)
    except OSError as error:
        raise InputError(f"--out {into}: cannot be written ({error.strerror})") from error
    finally:
        messages.close()
        shutil.rmtree(unfinished, ignore_errors=True)
    return results


def _questions(runs: Sequence[ShardRun]) -> list[Question]:
    questions = {name: each for run in runs for name, each in run.log.questions.items()}
    return sorted(questions.values(), key=lambda each: (task_place(each.task), each.steps, each.id))


def _require_empty(into: Path) -> None:
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise InputError(f"--out {into}: holds other files; name a new or an empty folder")
