"""How far the judge of a case can be believed, in a line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.judge import VARIANTS
from plugins.records import Record


def calibrations_told(record: Record, manifest: Mapping[str, Any], root: Path) -> dict[str, str]:
    """Return what the calibration on file says of the judge, by variant; nothing of a case without one.

    Args:
        record: The case.
        manifest: The manifest of its run.
        root: The project's folder, which ``reports/calibrations`` is below.
    """
    facts = manifest.get("judge")
    if not record.judge or not facts:
        return {}
    # What it needs takes its time, which a case without a judge need not.
    from plugins.calibration import Filed, estimate_text, filed, newest_of

    def told(each: Filed, variant: str) -> str:
        rates = each.rates[variant]
        accepts, rejects = estimate_text(rates.false_accepts), estimate_text(rates.false_rejects)
        return f"kappa {estimate_text(each.kappa[variant])}, false accepts {accepts}, false rejects {rejects}"

    try:
        known = filed(root)
    except InputError as error:
        return dict.fromkeys(VARIANTS, f"the calibrations cannot be read ({error})")
    found = {variant: newest_of(known, facts, variant) for variant in VARIANTS}
    return {
        variant: "none is on file" if each is None else told(each, variant) for variant, each in found.items()
    }
