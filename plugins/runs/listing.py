"""One run, in a line: what was run, and how it ended."""

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from retrocypher.kg.errors import InputError
from retrocypher.plugins.formatting.text import counted, one_line, usd
from retrocypher.plugins.runs.files import MANIFEST, RECORDS, is_held
from retrocypher.plugins.runs.log import lacks_aside, read_manifest, read_records, read_summary

_BLOCK = 1 << 20
_COMPLETE, _INTERRUPTED, _INCOMPLETE = "complete", "interrupted", "incomplete"
_RUNNING, _UNREADABLE = "running", "unreadable"
_BY_STATUS = {0: _COMPLETE, 1: _COMPLETE, 2: _INTERRUPTED, None: _INTERRUPTED}


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run; what is not known is None, or empty.

    Attributes:
        path: Its folder.
        state: ``complete``; ``incomplete``: cases have no score, judgement or whole answer, or there is no
            manifest; ``interrupted``:
            ended by the user, or killed; ``running``: a process holds it; ``unreadable``.
        reason: Why it is unreadable.
        started: When it began, UTC, ISO 8601.
        ended: When it ended.
        models: Labels of its models.
        prompts: Its prompts.
        shots: Its shots.
        loops: Its loops.
        done: Cases that have a record.
        planned: Cases that it was to have.
        mean_f1: Mean F1 of its scored cases.
        cost: What its answers cost in USD, at list prices.
        commit: The commit it was made with.
        changed: Whether files were changed since that commit.
    """

    path: Path
    state: str
    reason: str | None = None
    started: str | None = None
    ended: str | None = None
    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    shots: tuple[str, ...] = ()
    loops: tuple[str, ...] = ()
    done: int | None = None
    planned: int | None = None
    mean_f1: float | None = None
    cost: float | None = None
    commit: str | None = None
    changed: bool | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the entry as one JSON object."""
        return {**asdict(self), "path": str(self.path)}


def read_entry(run: Path) -> RunEntry:
    """Return what is to be said of a run; of one that cannot be read, why.

    The records themselves are read only where no summary was written.
    """
    try:
        return _entry(run, read_manifest(run), read_summary(run))
    except InputError as error:
        return RunEntry(run, _UNREADABLE, str(error))
    except OSError as error:
        return RunEntry(run, _UNREADABLE, f"{run}: {error.strerror}")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return RunEntry(run, _UNREADABLE, f"{run}: not what a run writes ({type(error).__name__}: {error})")


def _entry(run: Path, manifest: Mapping[str, Any], summary: Mapping[str, Any]) -> RunEntry:
    done, mean_f1, cost = _measured(run, manifest, summary)
    planned = summary.get("selected_cases") or manifest.get("cases")
    options, git = manifest.get("options") or {}, manifest.get("git") or {}
    return RunEntry(
        path=run,
        state=_state(run, manifest, summary, done, planned),
        started=manifest.get("started"),
        ended=manifest.get("ended"),
        models=tuple(str(model["label"]) for model in manifest.get("models", ())),
        prompts=tuple(manifest.get("prompts", ())),
        shots=tuple(options.get("shot", ())),
        loops=tuple(manifest.get("loops", {}).get("names", ())),
        done=done,
        planned=planned,
        mean_f1=mean_f1,
        cost=cost,
        commit=git.get("commit"),
        changed=git.get("changed"),
    )


def _state(
    run: Path, manifest: Mapping[str, Any], summary: Mapping[str, Any], done: int, planned: int | None
) -> str:
    if is_held(run):
        return _RUNNING
    if not manifest:
        return _INCOMPLETE
    state = _BY_STATUS.get(manifest.get("exit_status"), _INCOMPLETE)
    short = planned is not None and done < planned
    return _INCOMPLETE if state == _COMPLETE and (short or lacks_aside(summary)) else state


def _lines(run: Path) -> int:
    """How many whole lines the records have: counted, and not read, since there may be many runs."""
    file = run / RECORDS
    if not file.is_file():
        return 0
    with file.open("rb") as records:
        return sum(block.count(b"\n") for block in iter(lambda: records.read(_BLOCK), b""))


def _measured(
    run: Path, manifest: Mapping[str, Any], summary: Mapping[str, Any]
) -> tuple[int, float | None, float | None]:
    """Return how many cases have a record, their mean F1, and what their answers cost."""
    if summary:
        lines = _lines(run)
        if lines != summary["cases"] and not is_held(run):
            raise InputError(
                f"{run}: summary.json tells {counted(summary['cases'], 'case')}, and records.jsonl has "
                f"{lines:,}; restore them from a copy, or make the run again"
            )
        return summary["cases"], summary["means"]["f1"], (manifest.get("answers") or {}).get("cost")
    scores: list[float] = []
    costs: list[float] = []
    done = 0
    for record in read_records(run):
        done += 1
        if record["scores"] is not None:
            scores.append(record["scores"]["f1"])
        costs += [turn["cost"] for turn in record["rounds"] if turn.get("cost") is not None]
    return done, math.fsum(scores) / len(scores) if scores else None, math.fsum(costs) if costs else None


_DEEPEST = 3


def find_runs(folder: Path) -> list[Path]:
    """Return the run directories in a folder and up to three folders below, by name; one in a run is none.

    Args:
        folder: The folder; it may be a run itself.

    Raises:
        InputError: If it is no folder that can be read.
    """
    try:
        next(folder.iterdir(), None)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}; name a folder that holds runs") from error
    return sorted(_runs(folder, _DEEPEST))


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


_STYLES = {"complete": "green", "unreadable": "red", "running": "cyan"}
_COMMIT = 8


def runs_table(entries: Iterable[RunEntry], folder: Path) -> Table:
    """Return a table with two lines a run: its figures, and what was run.

    Args:
        entries: The runs in the order to be shown.
        folder: The folder that their names are told from.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("run", overflow="fold")
    for heading in ("cases", "F1"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("cost", justify="right", no_wrap=True)
    for entry in entries:
        table.add_row(
            _named(entry, folder),
            _cases(entry),
            "n/a" if entry.mean_f1 is None else f"{entry.mean_f1:.3f}",
            Text(entry.state, _STYLES.get(entry.state, "yellow")),
            "" if entry.cost is None else usd(entry.cost),
        )
    return table


def _named(entry: RunEntry, folder: Path) -> Group:
    path = entry.path
    name = path.relative_to(folder) if path.is_relative_to(folder) and path != folder else path
    return Group(Text(one_line(str(name))), Padding(Text(one_line(_what(entry)), "dim"), (0, 0, 0, 2)))


def _what(entry: RunEntry) -> str:
    if entry.reason is not None:
        return entry.reason
    commit = f"{entry.commit[:_COMMIT]}{'+' if entry.changed else ''}" if entry.commit else ""
    run = (", ".join(names) for names in (entry.models, entry.prompts, entry.shots, entry.loops))
    return "; ".join(filter(None, (_when(entry.started), *run, commit)))


def _when(started: str | None) -> str:
    if started is None:
        return ""
    return f"{datetime.fromisoformat(started).astimezone():%Y-%m-%d %H:%M}"


def _cases(entry: RunEntry) -> str:
    if entry.done is None:
        return ""
    return (
        f"{entry.done:,}" if entry.planned in (None, entry.done) else f"{entry.done:,} of {entry.planned:,}"
    )
