"""Calibrations on file: small, and to be committed."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.plugins.judge.calibration import SCHEMA_VERSION, Calibration, judge_identity
from retrocypher.plugins.runs.files import json_page
from retrocypher.plugins.runs.manifest import JudgeEntry
from retrocypher.plugins.statistics.intervals import Estimate

HOME = Path("reports", "calibrations")
"""Where calibrations are kept, below the project's folder."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")
_REMEDY = "take it from version control again, or make it anew with `retrocypher judge --calibrate`"


@dataclass(frozen=True, slots=True)
class StoredRates:
    """How often a judge was mistaken, of one variant."""

    false_accepts: Estimate
    """The share of errors that it took for right."""
    false_rejects: Estimate
    """The share of right queries that it took for wrong."""
    by_error: Mapping[str, Estimate]
    """The first, for each label of errors."""


@dataclass(frozen=True, slots=True)
class StoredCalibration:
    """What a gate and a report need of a calibration on file."""

    name: str
    model: str
    """What tells the judge's model from others."""
    criteria: str
    """Hash of what it judged by."""
    made: str
    """When, as ISO 8601 writes it."""
    kappa: Mapping[str, Estimate]
    unjudged: Mapping[str, float]
    """By variant, the share of queries that the judge gave no score."""
    rates: Mapping[str, StoredRates]


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
    return sorted(found, key=lambda each: each.made, reverse=True)


def of_model(calibrations: Iterable[StoredCalibration], judge: JudgeEntry) -> list[StoredCalibration]:
    """Return those of a judge's model, by whatever criteria and variant, in their order."""
    return [each for each in calibrations if each.model == judge_identity(judge)]


def newest_of(
    calibrations: Iterable[StoredCalibration], judge: JudgeEntry, variant: str
) -> StoredCalibration | None:
    """Return the first that is of a judge, its criteria and a variant; None without one."""
    found = (each for each in of_model(calibrations, judge) if each.criteria == judge.criteria)
    return next((each for each in found if variant in each.kappa), None)


def _rates(figures: Mapping[str, Any]) -> StoredRates:
    return StoredRates(
        Estimate(**figures["false_accept_rate"]),
        Estimate(**figures["false_reject_rate"]),
        {label: Estimate(**each["rate"]) for label, each in figures["by_error"].items()},
    )


def _read(file: Path) -> StoredCalibration:
    try:
        page = json.loads(file.read_bytes())
        if page["schema_version"] != SCHEMA_VERSION:
            raise ValueError(f"schema version {page['schema_version']!r}, and {SCHEMA_VERSION} is read here")
        return StoredCalibration(
            name=file.stem,
            model=str(page["model"]),
            criteria=str(page["criteria"]),
            made=str(page["made"]),
            kappa={name: Estimate(**each["kappa"]) for name, each in page["variants"].items()},
            unjudged={name: _unjudged(each) for name, each in page["variants"].items()},
            rates={name: _rates(each) for name, each in page["variants"].items()},
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{file}: not a calibration ({error!r}); {_REMEDY}") from error


def _unjudged(figures: Mapping[str, Any]) -> float:
    without = sum(figures["unjudged"].values())
    of = figures["judged"] + without
    return float(without / of) if of else 1.0
