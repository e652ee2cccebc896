"""Finds the run to resume, if any."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import KeyEntry, Manifest
from retrocypher.plugins.runs.record import JsonValue
from retrocypher.plugins.runs.run_directory import holds_records

_LONGEST = 40


@dataclass(frozen=True, slots=True)
class RunKey:
    """What decides the records of a run."""

    parts: Mapping[str, JsonValue]
    """Each thing that does, by its name, as plain values."""

    @property
    def sha256(self) -> str:
        """The key: hash of the parts as canonical JSON."""
        return hashlib.sha256(_canonical(self.parts).encode()).hexdigest()

    def entry(self) -> KeyEntry:
        """Return the key as manifests hold it."""
        return KeyEntry(self.sha256, dict(self.parts))


def differences(before: Mapping[str, JsonValue], now: Mapping[str, JsonValue]) -> list[str]:
    """Return which parts of two keys differ, with both values if they are short."""
    names = [name for name in {**before, **now} if _canonical(before.get(name)) != _canonical(now.get(name))]
    return [_difference(name, before.get(name), now.get(name)) for name in names]


def _difference(name: str, before: JsonValue, now: JsonValue) -> str:
    shown = [_canonical(value) for value in (before, now)]
    short = all(len(text) <= _LONGEST for text in shown)
    return f"{name} ({shown[0]} there, {shown[1]} here)" if short else name


def _canonical(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def newest_incomplete(reports: Path, key: RunKey) -> Path | None:
    """Return the newest run of a key in a folder that is not complete; None if there is none."""
    found = [
        (str(run.manifest.started), run.path.name, run.path)
        for run in _runs(reports)
        if run.manifest.key is not None
        and run.manifest.key.sha256 == key.sha256
        and not is_complete(run)
        and not _judged_by_another(run.manifest, key)
    ]
    return max(found)[-1] if found else None


def named_incomplete(folder: Path, key: RunKey) -> Path | None:
    """Return a folder if its run can be resumed; None for a new run. Raises InputError for another run."""
    if not holds_records(folder):
        return None
    run = RunLog(folder)
    there = run.manifest.key
    if there is None or is_complete(run):
        ended = "is complete" if there else "was made before runs could be resumed"
        raise InputError(
            f"--run-dir {folder}: holds a run already, which {ended}; name another folder, or remove "
            "this one (--fresh does not replace a run)"
        )
    if there.sha256 != key.sha256:
        differing = "; ".join(differences(there.parts, key.parts))
        raise InputError(
            f"--run-dir {folder}: holds a run already, an incomplete one that differs in: {differing}. "
            "Name another folder, or repeat the command that began that run to resume it"
        )
    if _judged_by_another(run.manifest, key):
        raise InputError(
            f"--run-dir {folder}: holds a run already, which another judge has judged since. Name another "
            f"folder, or resume it after `retrocypher judge {folder} --judge MODEL --replace` with the judge "
            "of this run"
        )
    return folder


def is_complete(run: RunLog) -> bool:
    """Return whether every selected case of a run has a score, and its judge could be asked.

    A run whose summary cannot be read is not complete. A run that was killed and then judged or rescored has
    a summary of its records only; its manifest says how many cases were planned.
    """
    try:
        summary = run.summary
        selected = summary.selected_cases or run.manifest.cases or 0
    except InputError:
        return False
    return (
        summary.cases > 0
        and summary.cases >= selected
        and not summary.infrastructure_errors
        and not summary.lacks_aside
        and not summary.lost_cases
    )


def _judged_by_another(manifest: Manifest, key: RunKey) -> bool:
    """Return whether another judge has judged a run since it began, of which its key says nothing."""
    there, here = manifest.judge, key.parts.get("judge")
    if there is None or not here:
        return False
    argument = there.model.file_sha256 or there.model.argument
    return (argument, there.api, there.criteria) != (here["argument"], here["api"], here["criteria"])


def _runs(reports: Path) -> Iterator[RunLog]:
    for folder in reports.iterdir() if reports.is_dir() else ():
        run = RunLog(folder)
        try:
            known = run.has_manifest and run.manifest.key
        except (InputError, OSError):
            # Not a run of this version: none to resume.
            continue
        if known:
            yield run
