"""The manifest of a merged run."""

import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TASKS, Question
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.analysis.usage import Usage
from retrocypher.plugins.operations.shard_runs import (
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
from retrocypher.plugins.runs.log import RunLog, read_questions
from retrocypher.plugins.runs.run_directory import RunDirectory

_OWN = ("started", "ended", "exit_status", "cases", "machine", "git", "versions")
_CONTINUED = "continued"
_OWN_OPTIONS = ("graph", "run_dir", "cache", "concurrency")


def merged_manifest(runs: Sequence[ShardRun], questions: int, exit_status: int) -> dict[str, Any]:
    """Return what the manifest of the whole run says, and in ``merged_from`` what each shard's said.

    What the shards say alike stays. Where they differ in what does not decide a record it is null; versions
    and commits are told one after the other.

    Args:
        runs: The shards, in the order of their numbers.
    """
    manifests = [run.manifest for run in runs]
    first = manifests[0]
    alike = {name: _common(each.get(name) for each in manifests) for name in first if name != _CONTINUED}
    return {
        **alike,
        "started": min(each["started"] for each in manifests),
        "ended": max((each["ended"] for each in manifests if each["ended"]), default=None),
        "exit_status": exit_status,
        "cases": first["shard"]["cases_in_all"],
        "options": {**_fields(each["options"] for each in manifests), "shard": None},
        "loops": {**first["loops"], **_once(manifests)},
        "questions": {**first["questions"], "count": questions},
        "machine": _fields(each["machine"] for each in manifests),
        "versions": _joined(each["versions"] for each in manifests),
        "git": _joined(each["git"] or {} for each in manifests) or None,
        "graph": _graph([each["graph"] for each in manifests]),
        "standstill": _sums(manifests, "standstill"),
        "key": first["shard"]["key"],
        "shard": None,
        "merged_from": [_told(run) for run in runs],
    }


def _told(run: ShardRun) -> dict[str, Any]:
    manifest = run.manifest
    return {
        "run": str(run.path),
        **run.shard.to_json(),
        **{name: manifest[name] for name in _OWN},
        "options": {name: manifest["options"].get(name) for name in _OWN_OPTIONS},
        "graph": {name: manifest["graph"].get(name) for name in ("kind", "version", "notes")},
        "answers": manifest.get("answers"),
        **({_CONTINUED: manifest[_CONTINUED]} if _CONTINUED in manifest else {}),
    }


def _graph(graphs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is said of the graph: it is the same, its servers may be of several kinds."""
    kinds = sorted({str(graph["kind"]) for graph in graphs})
    notes = dict.fromkeys(note for graph in graphs for note in graph["notes"])
    return {**graphs[0], "kind": ", ".join(kinds), "notes": list(notes)}


def _fields(described: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what descriptions say alike, field by field; null where they differ."""
    each = list(described)
    return {
        name: _common(one.get(name) for one in each) for name in dict.fromkeys(n for one in each for n in one)
    }


def _joined(described: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what descriptions say, field by field: texts that differ one after the other, and any truth."""
    each = list(described)
    found: dict[str, Any] = {}
    for name in dict.fromkeys(n for one in each for n in one):
        values = [one[name] for one in each if name in one]
        flags = all(isinstance(value, bool) for value in values)
        found[name] = any(values) if flags else ", ".join(dict.fromkeys(map(str, values)))
    return found


def _common(values: Iterable[Any]) -> Any:
    first, *others = values
    return first if all(other == first for other in others) else None


def _sums(manifests: Sequence[Mapping[str, Any]], name: str) -> dict[str, int | float]:
    """Add up the numbers that manifests have under a name."""
    total: dict[str, int | float] = {}
    for manifest in manifests:
        for key, value in (manifest.get(name) or {}).items():
            if isinstance(value, int | float):
                total[key] = total.get(key, 0) + value
    return total


def _once(manifests: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what models made once a run: every shard made its own, and paid for it."""
    made = [each for manifest in manifests for each in manifest["loops"].get("once", ())]
    return {"once": made} if any("once" in manifest["loops"] for manifest in manifests) else {}


_NO_LOOP = "none"


class Totals:
    """Counts records as a session does."""

    def __init__(self, runs: Sequence[ShardRun], questions: Sequence[Question]) -> None:
        loops = runs[0].manifest["loops"]
        players = loops.get("players") or {}
        self._runs = runs
        self._looped = loops["names"] != [_NO_LOOP]
        self._summary = Summary()
        self._ledger = Ledger({each.id: each.target for each in questions})
        writers = (runs[0].manifest.get("answering") or {}).get("writers") or {}
        self._usage = Usage(
            {label: spec["label"] for label, spec in players.items()},
            {label: spec["label"] for label, spec in writers.items()},
        )
        for run in runs:
            self._usage.add_once(run.manifest["loops"].get("once", ()))

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record in."""
        self._summary.add(record)
        self._ledger.add(record)
        self._usage.add(record)

    @property
    def failed(self) -> int:
        """How many cases are under the threshold."""
        return self._summary.failed

    def summary(self) -> dict[str, Any]:
        """Return what ``summary.json`` of the merged run holds."""
        counts = {"selected_cases": self._selected(), "lost_cases": self._lost()}
        ledger = {"ledger": self._ledger.to_json()} if self._looped else {}
        return {**self._summary.to_json(), **counts, **ledger}

    def counts(self) -> dict[str, int]:
        """Return the ``counts`` of the manifest."""
        return {
            "planned": self._in_all(),
            "selected": self._selected(),
            "run": self._summary.cases,
            "passed": self._summary.passed,
            "failed": self._summary.failed,
            "infrastructure_errors": self._summary.infrastructure_errors,
            "lost": len(self._lost()),
        }

    def answers(self) -> dict[str, Any]:
        """Return the ``answers`` of the manifest; each shard has a cache of its own."""
        return {"cache": None, **self._usage.to_json()}

    def _in_all(self) -> int:
        return int(self._runs[0].manifest["shard"]["cases_in_all"])

    def _selected(self) -> int:
        """Return how many cases the whole has, those of shards that are missing among them."""
        return self._in_all() - sum(int(run.manifest["cases"]) - run.selected for run in self._runs)

    def _lost(self) -> list[str]:
        return sorted(case for run in self._runs for case in run.summary.get("lost_cases", ()))


_ATTACHMENT = "-attachment"
_OF_A_CASE = re.compile(r"-(result|container)\.json$|-attachment")


def join_results(runs: Sequence[Path], into: Path) -> int:
    """Put the Allure results of runs into a run directory; attachments as hard links where that can be done.

    What a folder of results says of its run as a whole is left out.

    Args:
        runs: Run directories; those without results are passed over.

    Returns:
        How many cases have a result.

    Raises:
        OSError: If a file cannot be written.
    """
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
    # Attachments are most of it and nobody writes to them again.
    if _ATTACHMENT in file.name:
        # Not on another file system, nor on one without links.
        with suppress(OSError):
            os.link(file, target)
            return
    shutil.copyfile(file, target)


_FAILED, _INCOMPLETE = 1, 16


@dataclass(frozen=True, slots=True)
class Merged:
    """A run that was put together."""

    path: Path
    """Its folder."""
    runs: tuple[ShardRun, ...]
    """The shards, in the order of their numbers."""
    summary: Mapping[str, Any]
    """Its summary."""
    missing: tuple[str, ...]
    """What is missing, a line each; empty for a whole run."""
    allure_results: int
    """How many cases have a result for Allure."""


def merge(paths: Sequence[Path], into: Path, *, partial: bool = False) -> Merged:
    """Join shards into one run directory, as the whole run would have left it.

    The shards stay as they are. Nothing is at the target unless all went well.

    Args:
        paths: Run directories of the shards, in any order.
        into: Folder of the merged run; made if absent.
        partial: Whether to join what there is where shards or cases are missing.

    Raises:
        InputError: If the shards are not all of one run, overlap, lack something, or the folder cannot be
            used.
    """
    into = into.resolve()
    _require_empty(into)
    runs = read_shards(paths)
    questions = _questions(runs)
    totals = Totals(runs, questions)
    index = index_cases(runs, totals.add)
    lacking = missing(index)
    if lacking and not partial:
        raise InputError(
            f"{'; '.join(lacking)}. Run what is missing (the command of a shard again goes on with it), or "
            "merge what there is with --partial"
        )
    status = _INCOMPLETE if lacking else _FAILED if totals.failed else 0
    manifest = merged_manifest(runs, len(questions), status)
    manifest |= {"answers": totals.answers(), "counts": totals.counts()}
    whole = totals.summary()
    results = _write(into, index, questions, whole, manifest)
    return Merged(into, tuple(runs), whole, tuple(lacking), results)


def _write(
    into: Path,
    index: Index,
    questions: Sequence[Question],
    summary: Mapping[str, Any],
    manifest: Mapping[str, Any],
) -> int:
    unfinished = into.with_name(f".{into.name}.partial")
    messages = Messages(index.runs)
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        with RunDirectory(unfinished) as run:
            run.write_questions(question.to_json() for question in questions)
            left = len(index.cases)
            for line in read_lines(index):
                left -= 1
                hashes = [turn["messages_sha256"] for turn in json.loads(line)["rounds"]]
                run.write_record(line, messages.take(hashes) | ({} if left else messages.rest()))
            run.write_manifest(manifest)
            run.write_summary(summary)
            if results := join_results([each.path for each in index.runs], unfinished):
                write_about(unfinished / ALLURE, RunLog(unfinished).manifest, summary["cases"], summary["selected_cases"])
        unfinished.rename(into)
    except OSError as error:
        raise InputError(f"--into {into}: cannot be written ({error.strerror})") from error
    finally:
        messages.close()
        shutil.rmtree(unfinished, ignore_errors=True)
    return results


def _questions(runs: Sequence[ShardRun]) -> list[Question]:
    questions = {name: each for run in runs for name, each in read_questions(run.path).items()}
    return sorted(questions.values(), key=lambda each: (TASKS.index(each.task), each.steps, each.id))


def _require_empty(into: Path) -> None:
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise InputError(f"--into {into}: holds other files; name a new or an empty folder")
