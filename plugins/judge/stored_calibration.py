"""Calibrations on file: small, and to be committed."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct, convert

from retrocypher.kg.errors import InputError
from retrocypher.plugins.judge.calibration import SCHEMA_VERSION, Calibration, judge_identity
from retrocypher.plugins.runs.files import json_page
from retrocypher.plugins.runs.manifest import JudgeEntry

HOME = Path("reports", "calibrations")
"""Where calibrations are kept, below the project's folder."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_REMEDY = "take it from version control again, or make it anew with `retrocypher judge --calibrate`"


class StoredCalibration(Struct, frozen=True):
    """A calibration on file."""

    name: str
    calibration: Calibration


def name_for(judge: str, criteria: str) -> str:
    """Return what the calibration of a judge is called where nobody says otherwise."""
    return f"{_UNFIT.sub('-', judge).strip('-._')[:60] or 'judge'}-{criteria[:8]}"


def keep(calibration: Calibration, name: str | None, root: Path) -> Path:
    """Write a calibration, by default under a name of judge and criteria; raise InputError if it cannot."""
    name = name or name_for(calibration.judge, calibration.criteria)
    require_name(name)
    file = root / HOME / f"{name}.json"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        written = file.with_suffix(".tmp")
        written.write_text(json_page(calibration), encoding="utf-8")
        written.replace(file)
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror})") from error
    return file


def require_name(name: str) -> None:
    """Raise InputError if a name cannot be that of a calibration."""
    if not _NAME.fullmatch(name):
        raise InputError(
            f"--name {name!r}: not a name; use letters, digits, points, dashes and underscores (80 at most)"
        )


def load_calibrations(root: Path) -> list[StoredCalibration]:
    """Return the calibrations on file, the newest first; raise InputError if one cannot be read."""
    found = [_read(file) for file in sorted((root / HOME).glob("*.json"))]
    return sorted(found, key=lambda each: each.calibration.made, reverse=True)


def of_model(calibrations: Iterable[StoredCalibration], judge: JudgeEntry) -> list[StoredCalibration]:
    """Return those of a judge's model, by whatever criteria and variant, in their order."""
    return [each for each in calibrations if each.calibration.model == judge_identity(judge)]


def newest_of(
    calibrations: Iterable[StoredCalibration], judge: JudgeEntry, variant: str
) -> StoredCalibration | None:
    """Return the first that is of a judge, its criteria and a variant; None without one."""
    found = (each for each in of_model(calibrations, judge) if each.calibration.criteria == judge.criteria)
    return next((each for each in found if variant in each.calibration.variants), None)


def _read(file: Path) -> StoredCalibration:
    try:
        page = json.loads(file.read_bytes())
        if page["schema_version"] != SCHEMA_VERSION:
            raise ValueError(f"schema version {page['schema_version']!r}, and {SCHEMA_VERSION} is read here")
        return StoredCalibration(file.stem, convert(page, Calibration))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{file}: not a calibration ({error!r}); {_REMEDY}") from error
