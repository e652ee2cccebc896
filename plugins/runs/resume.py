"""Which run is gone on with, if any."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.log import read_manifest, read_summary
from retrocypher.plugins.runs.record import JUDGE_STAGE
from retrocypher.plugins.runs.run_directory import holds_records

_LONGEST = 40


@dataclass(frozen=True, slots=True)
class RunKey:
    """What decides the records of a run.

    Attributes:
        parts: Each thing that does, by its name, as plain values.
    """

    parts: Mapping[str, Any]

    @property
    def sha256(self) -> str:
        """The key: hash of the parts as canonical JSON."""
        return hashlib.sha256(_canonical(self.parts).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return key and parts for the manifest."""
        return {"sha256": self.sha256, "parts": dict(self.parts)}


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return which parts of two keys differ, with what they say where that is short.

    Args:
        before: Parts of the key of a run that is there.
        now: Parts of the key of the run that is asked for.
    """
    names = [name for name in {**before, **now} if _canonical(before.get(name)) != _canonical(now.get(name))]
    return [_difference(name, before.get(name), now.get(name)) for name in names]


def _difference(name: str, before: Any, now: Any) -> str:
    shown = [_canonical(value) for value in (before, now)]
    told = all(len(text) <= _LONGEST for text in shown)
    return f"{name} ({shown[0]} there, {shown[1]} here)" if told else name


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


_KEY = "key"


def newest_incomplete(reports: Path, key: RunKey) -> Path | None:
    """Return the newest run of a key that is not complete; None where there is none.

    Args:
        reports: The folder that holds runs.
        key: The key of the run that is asked for.
    """
    found = [
        (str(manifest.get("started")), path.name, path)
        for path, manifest in _manifests(reports)
        if (manifest.get(_KEY) or {}).get("sha256") == key.sha256
        and not is_complete(path)
        and not _judged_by_another(manifest, key)
    ]
    return max(found)[-1] if found else None


def named_incomplete(folder: Path, key: RunKey) -> Path | None:
    """Return the folder a user named, where it holds a run that can be gone on with; None for a new run.

    Args:
        folder: The folder.
        key: The key of the run that is asked for.

    Raises:
        InputError: If it holds a complete run, one of another key, or one that another judge has judged.
    """
    if not holds_records(folder):
        return None
    manifest = read_manifest(folder)
    there = manifest.get(_KEY)
    if not there or is_complete(folder):
        ended = "is complete" if there else "was made before runs could be gone on with"
        raise InputError(
            f"--run-dir {folder}: holds a run already, which {ended}; name another folder, or remove this one"
        )
    if there["sha256"] != key.sha256:
        differing = "; ".join(differences(there["parts"], key.parts))
        raise InputError(
            f"--run-dir {folder}: holds a run already, an incomplete one that differs in: {differing}. "
            "Name another folder, or repeat what began that run to go on with it"
        )
    if _judged_by_another(manifest, key):
        raise InputError(
            f"--run-dir {folder}: holds a run already, which another judge has judged since. Name another "
            f"folder, or go on after `retrocypher judge {folder} --judge MODEL --replace` with the judge of "
            "this run"
        )
    return folder


def is_complete(path: Path) -> bool:
    """Tell whether every case that was selected for a run has a score, and its judge could be asked.

    One whose summary cannot be read is not: it is made again from the records. One that was killed and then
    judged or scored again has a summary that knows only its records: its manifest tells what was planned.

    Args:
        path: The run directory.
    """
    try:
        summary = read_summary(path)
        selected = summary.get("selected_cases") or read_manifest(path).get("cases") or 0
    except InputError:
        return False
    return (
        summary.get("cases", 0) > 0
        and summary["cases"] >= selected
        and not summary.get("infrastructure_errors")
        and not (summary.get("infrastructure_errors_by_stage") or {}).get(JUDGE_STAGE)
        and not summary.get("lost_cases")
        and not (summary.get("answers") or {}).get("failed")
    )


def _judged_by_another(manifest: Mapping[str, Any], key: RunKey) -> bool:
    """Tell whether a run was judged by another judge since it was begun, of which its key says nothing."""
    there, here = manifest.get("judge"), key.parts.get("judge")
    if not there or not here:
        return False
    model = there["model"]
    told = {"argument": model.get("file_sha256") or model["argument"], **there}
    return any(told[name] != here[name] for name in ("argument", "api", "criteria"))


def _manifests(reports: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for folder in reports.iterdir() if reports.is_dir() else ():
        try:
            manifest = read_manifest(folder)
        except (InputError, OSError):
            # Nothing that this project wrote as it is now: no run to go on with.
            continue
        if manifest:
            yield folder, manifest
