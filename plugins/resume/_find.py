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
