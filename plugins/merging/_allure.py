"""The Allure results of shards, together."""

import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from plugins.records import ALLURE

_ATTACHMENT = "-attachment"
_OF_A_CASE = re.compile(r"-(result|container)\.json$|-attachment")


def join_results(runs: Sequence[Path], into: Path) -> int:
    """Put the Allure results of runs into a run directory; attachments as hard links where that can be done.

    What a folder of results says of its run as a whole is left out.

    Args:
        runs: Run directories; those without results are passed over.
        into: The run directory they go to.

    Returns:
        How many cases have a result.

    Raises:
        OSError: If a file cannot be written.
    """
    count = 0
    for results in (run / ALLURE for run in runs):
        for file in sorted(results.iterdir()) if results.is_dir() else ():
            if not _OF_A_CASE.search(file.name):
                continue
            target = into / ALLURE / file.name
            target.parent.mkdir(exist_ok=True)
            _put(file, target)
            count += file.name.endswith("-result.json")
    return count


def _put(file: Path, target: Path) -> None:
    # Attachments are most of it and nobody writes to them again.
    if _ATTACHMENT in file.name:
        # Not on another file system, nor on one without links.
        with suppress(OSError):
            os.link(file, target)
            return
    shutil.copyfile(file, target)
