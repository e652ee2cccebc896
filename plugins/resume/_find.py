"""Which run is gone on with, if any."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.records import JUDGE_STAGE, holds_records, read_manifest, read_summary
from plugins.resume._key import RunKey, differences

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
        if (manifest.get(_KEY) or {}).get("sha256") == key.sha256 and not is_complete(path)
    ]
    return max(found)[-1] if found else None


def named_incomplete(folder: Path, key: RunKey) -> Path | None:
    """Return the folder a user named, where it holds a run that can be gone on with; None for a new run.

    Args:
        folder: The folder.
        key: The key of the run that is asked for.

    Raises:
        InputError: If it holds a complete run, or one of another key.
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
    return folder


def is_complete(path: Path) -> bool:
    """Tell whether every case that was selected for a run has a score, and its judge could be asked.

    One whose summary cannot be read is not: it is made again from the records.

    Args:
        path: The run directory.
    """
    try:
        summary = read_summary(path)
    except InputError:
        return False
    return (
        summary.get("cases", 0) > 0
        and summary["cases"] >= summary.get("selected_cases", 0)
        and not summary.get("infrastructure_errors")
        and not (summary.get("infrastructure_errors_by_stage") or {}).get(JUDGE_STAGE)
        and not summary.get("lost_cases")
        and not (summary.get("answers") or {}).get("failed")
    )


def _manifests(reports: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for folder in reports.iterdir() if reports.is_dir() else ():
        try:
            manifest = read_manifest(folder)
        except (InputError, OSError):
            # Nothing that this project wrote as it is now: no run to go on with.
            continue
        if manifest:
            yield folder, manifest
