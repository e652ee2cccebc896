"""Lists of runs: what each run was, and how it ended."""

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.runs.files import MANIFEST, RECORDS, is_held
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import HEADLINE

_BLOCK = 1 << 20
_COMPLETE, _INTERRUPTED, _INCOMPLETE = "complete", "interrupted", "incomplete"
_RUNNING, _UNREADABLE = "running", "unreadable"
_BY_STATUS = {0: _COMPLETE, 1: _COMPLETE, 2: _INTERRUPTED, None: _INTERRUPTED}


class RunEntry(Struct, frozen=True):
    """One run in a list; what is not known is None, or empty."""

    path: str
    state: str
    """``complete``; ``incomplete``: cases have no score, judgement or whole answer, or there is no manifest;
    ``interrupted``: ended by the user, or killed; ``running``: a process holds it; ``unreadable``."""
    reason: str | None = None
    """Why it is unreadable."""
    started: str | None = None
    """When it began, UTC, ISO 8601."""
    ended: str | None = None
    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    shots: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()
    done: int | None = None
    """Cases that have a record."""
    planned: int | None = None
    """Cases that it was to have."""
    headline: str = HEADLINE
    """The score that decides whether a case passes."""
    mean: float | None = None
    """The mean of that score over its scored cases."""
    mean_f1: float | None = None
    """Mean F1 of its scored cases."""
    cost: float | None = None
    """Cost of its completions in USD, at list prices."""
    commit: str | None = None
    """The commit it was made with."""
    changed: bool | None = None
    """Whether files outside `reports/` had changes that were not committed."""


def read_entry(run: RunLog) -> RunEntry:
    """Return the entry of a run; of an unreadable one, with the reason."""
    try:
        return _entry(run)
    except InputError as error:
        return RunEntry(str(run), _UNREADABLE, str(error))
    except OSError as error:
        return RunEntry(str(run), _UNREADABLE, f"{run}: {error.strerror}")


def _entry(run: RunLog) -> RunEntry:
    manifest = run.manifest
    done, means, cost = _measured(run)
    planned = run.summary.selected_cases or manifest.cases
    return RunEntry(
        path=str(run),
        state=_state(run, done, planned),
        started=manifest.started,
        ended=manifest.ended,
        models=tuple(model.label for model in manifest.models),
        prompts=tuple(manifest.prompts),
        shots=tuple(manifest.known_options.shot),
        loops=tuple(manifest.loops.names),
        done=done,
        planned=planned,
        headline=manifest.headline,
        mean=means.get(manifest.headline),
        mean_f1=means.get("f1"),
        cost=cost,
        commit=manifest.git.commit if manifest.git else None,
        changed=manifest.git.changed if manifest.git else None,
    )


def _state(run: RunLog, done: int, planned: int | None) -> str:
    if is_held(run.path):
        return _RUNNING
    if not run.has_manifest:
        return _INCOMPLETE
    state = _BY_STATUS.get(run.manifest.exit_status, _INCOMPLETE)
    short = planned is not None and done < planned
    return _INCOMPLETE if state == _COMPLETE and (short or run.summary.lacks_aside) else state


def _lines(run: Path) -> int:
    """Return how many whole lines the records have: counted, not read, because there may be many runs."""
    file = run / RECORDS
    if not file.is_file():
        return 0
    with file.open("rb") as records:
        return sum(block.count(b"\n") for block in iter(lambda: records.read(_BLOCK), b""))


def _measured(run: RunLog) -> tuple[int, Mapping[str, float | None], float | None]:
    """Return how many cases have a record, means of their scores, and what their completions cost."""
    if run.has_summary:
        lines, summary, answers = _lines(run.path), run.summary, run.manifest.answers
        if lines != summary.cases and not is_held(run.path):
            raise InputError(
                f"{run}: summary.json counts {counted(summary.cases, 'case')}, and records.jsonl has "
                f"{lines:,}; restore both from a copy, or repeat the run"
            )
        return summary.cases, summary.means, answers.cost if answers else None
    scores: dict[str, list[float]] = {"f1": [], run.manifest.headline: []}
    costs: list[float] = []
    done = 0
    for record in run.records():
        done += 1
        if record.scores is not None:
            for name, values in scores.items():
                if (value := record.scores.value(name)) is not None:
                    values.append(value)
        costs += [turn.cost for turn in record.rounds if turn.cost is not None]
    means = {name: math.fsum(values) / len(values) if values else None for name, values in scores.items()}
    return done, means, math.fsum(costs) if costs else None


_DEEPEST = 3


def find_runs(folder: Path) -> list[RunLog]:
    """Return the runs in a folder, itself included, and up to three folders below, by name.

    Folders inside a run are not searched. Raises InputError if the folder cannot be read.
    """
    try:
        next(folder.iterdir(), None)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}; name a folder that holds runs") from error
    return [RunLog(run) for run in sorted(_runs(folder, _DEEPEST))]


def _runs(folder: Path, deeper: int) -> Iterator[Path]:
    if (folder / MANIFEST).is_file() or (folder / RECORDS).is_file():
        yield folder
    elif deeper:
        try:
            below = [Path(each.path) for each in os.scandir(folder) if each.is_dir(follow_symlinks=False)]
        except OSError:
            return
        for each in below:
            yield from _runs(each, deeper - 1)
