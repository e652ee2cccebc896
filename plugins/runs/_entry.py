"""One run, in a line: what was run, and how it ended."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.records import RECORDS, is_held, lacks_aside, read_manifest, read_records, read_summary
from plugins.terminal import counted

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
