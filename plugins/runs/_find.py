"""Run directories below a folder."""

import os
from collections.abc import Iterator
from pathlib import Path

from kg.errors import InputError
from plugins.records import MANIFEST, RECORDS

_DEEPEST = 3


def find_runs(folder: Path) -> list[Path]:
    """Return the run directories in a folder and up to three folders below, by name; one in a run is none.

    Args:
        folder: The folder; it may be a run itself.

    Raises:
        InputError: If it is no folder that can be read.
    """
    try:
        next(folder.iterdir(), None)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}; name a folder that holds runs") from error
    return sorted(_runs(folder, _DEEPEST))


def _runs(folder: Path, deeper: int) -> Iterator[Path]:
    if (folder / MANIFEST).is_file() or (folder / RECORDS).is_file():
        yield folder
    elif deeper:
        try:
            below = [Path(each.path) for each in os.scandir(folder) if each.is_dir(follow_symlinks=False)]
        except OSError:
            return
        for each in below:
            yield from _runs(each, deeper - 1)
