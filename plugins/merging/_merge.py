"""Joins shards into the run they are parts of."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.questions import TASKS, Question
from plugins.allure import show_run
from plugins.merging._allure import join_results
from plugins.merging._index import Index, Messages, index_cases, read_lines
from plugins.merging._manifest import merged_manifest
from plugins.merging._missing import missing
from plugins.merging._shard_run import ShardRun, read_shards
from plugins.merging._totals import Totals
from plugins.records import ALLURE, RunDirectory, read_questions

_FAILED, _INCOMPLETE = 1, 16


@dataclass(frozen=True, slots=True)
class Merged:
    """A run that was put together.

    Attributes:
        path: Its folder.
        runs: The shards, in the order of their numbers.
        summary: Its summary.
        missing: What is missing, a line each; empty for a whole run.
        allure_results: How many cases have a result for Allure.
    """

    path: Path
    runs: tuple[ShardRun, ...]
    summary: Mapping[str, Any]
    missing: tuple[str, ...]
    allure_results: int


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
                show_run(unfinished / ALLURE, manifest, summary["cases"], summary["selected_cases"])
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
