"""Results of cases that have no record: ended by a Ctrl-C before, or after, they were answered."""

import json
from collections.abc import Collection
from pathlib import Path


def drop_unrecorded(results: Path, recorded: Collection[str], since: float) -> None:
    """Remove the results of cases without a record, which Allure would count as passed or failed.

    Args:
        results: Folder of the Allure results.
        recorded: Ids of the cases on record.
        since: When the run began, in seconds of the epoch: results of earlier runs stay.
    """
    for file in results.glob("*-result.json"):
        if file.stat().st_mtime >= since:
            case = _case_of(file)
            if case is not None and case not in recorded:
                file.unlink()


def _case_of(file: Path) -> str | None:
    try:
        parameters = json.loads(file.read_text(encoding="utf-8")).get("parameters", ())
    except ValueError:
        return None
    return next((each["value"] for each in parameters if each["name"] == "case"), None)
