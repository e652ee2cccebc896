"""How far the judge of a run can be believed: its calibration on file."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.report._run import Run

_DEFINED = Path("docs", "calibration.md")


@dataclass(frozen=True, slots=True)
class Calibrations:
    """The calibrations on file, as far as the runs of a page have a judge.

    Attributes:
        found: The calibrations, the newest first.
        trouble: Why they cannot be read; empty where they can.
        defined: Address of the page that defines their figures; empty where it is not at hand.
    """

    found: tuple[Any, ...] = ()
    trouble: str = ""
    defined: str = ""


def calibrations_of(runs: list[Run], root: Path, out: Path) -> Calibrations:
    """Return the calibrations on file; none where no run was judged.

    Args:
        runs: The runs of the page.
        root: The project's folder, which ``reports/calibrations`` is below.
        out: The page, from which the page of definitions is linked.
    """
    if not any(run.opinions for run in runs):
        return Calibrations()
    # What it needs takes its time, which a report without a judge need not.
    from plugins.calibration import filed

    page = root / _DEFINED
    defined = os.path.relpath(page, out.resolve().parent) if page.is_file() else ""
    try:
        return Calibrations(tuple(filed(root)), defined=Path(defined).as_posix() if defined else "")
    except InputError as error:
        return Calibrations(trouble=str(error), defined=defined)


def calibration_of(
    known: Calibrations, facts: Mapping[str, Any] | None, part: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what the newest calibration of a judge says, as rows; None where none is of that judge.

    Args:
        known: The calibrations on file.
        facts: What the manifest of the run says of its judge.
        part: What a judge said of it, of one variant.
    """
    if facts is None or facts.get("criteria") != part["criteria"]:
        return None
    from plugins.calibration import newest_of

    found = newest_of(known.found, facts, part["variant"])
    if found is None:
        return None
    rates = found.rates[part["variant"]]
    by_error = sorted(rates.by_error.items(), key=lambda each: (-(each[1].value or 0.0), each[0]))
    return {
        "name": found.name,
        "made": found.made[:10],
        "unjudged": found.unjudged[part["variant"]],
        "kappa": found.kappa[part["variant"]],
        "accepts": rates.false_accepts,
        "rejects": rates.false_rejects,
        "by_error": [(label, rate) for label, rate in by_error if rate.value is not None],
    }
