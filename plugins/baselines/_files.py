"""The names of the files of a baseline."""

import re
from pathlib import Path

from kg.errors import InputError

BASELINE = "baseline.json"
CASES = "cases.csv.gz"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def known_baselines(home: Path) -> list[str]:
    """Return the names of the baselines in a folder; none where it does not exist."""
    return sorted(file.parent.name for file in home.glob(f"*/{BASELINE}"))


def require_name(name: str) -> None:
    """Refuse what cannot be the name of a baseline: it names a folder, and is shown.

    Raises:
        InputError: If it holds anything but letters, digits, points, dashes and underscores.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"baseline {name!r}: not a name; use letters, digits, points, dashes and underscores (80 at most)"
        )
