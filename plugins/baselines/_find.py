"""A side of a comparison, as a user names it."""

from pathlib import Path

from kg.errors import InputError
from plugins.baselines._files import BASELINE, known_baselines
from plugins.baselines._read import read_baseline
from plugins.comparison import Side, read_run
from plugins.records import RECORDS

HOME = Path("reports", "baselines")
"""Where baselines are kept, below the project's folder."""


def find_side(named: str, root: Path) -> Side:
    """Read a run or a baseline.

    Args:
        named: The folder of a run or of a baseline, or the name of a baseline.
        root: The project's folder, which ``reports/baselines`` is below.

    Raises:
        InputError: If there is none of that name, or it cannot be read.
    """
    folder = Path(named)
    if (folder / RECORDS).is_file():
        return read_run(folder)
    kept = root / HOME
    for place in (folder, kept / named):
        if (place / BASELINE).is_file():
            return read_baseline(place)
    if folder.is_dir():
        raise InputError(f"{named}: no run and no baseline; name a folder with {RECORDS} or {BASELINE}")
    names = known_baselines(kept)
    there = f"baselines there are: {', '.join(names)}" if names else "no baseline is kept yet"
    raise InputError(f"{named}: no such run, and no such baseline in {kept}; {there}")
