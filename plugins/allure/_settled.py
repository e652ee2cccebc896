"""One result a case, and none that the records do not know: what a run leaves, however it went."""

import json
import time
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from allure_commons.model2 import Status, StatusDetails

from plugins.allure._lost import lost_cases, lost_records
from plugins.allure._show import show_case
from plugins.allure._writer import ResultWriter
from plugins.records import ALLURE, Record, read_manifest, read_questions, read_records

_RESULTS = "*-result.json"


def settle_run(results: Path, run: Path, lost: Collection[str], since: float, cases: int | None) -> None:
    """Make the results of a run that has ended agree with its records.

    A Ctrl-C ends cases before, or after, they were answered, and Allure would count them as passed or failed;
    a worker that dies leaves nothing of its case; a run that goes on asks some cases once more.

    Args:
        results: Folder of the Allure results.
        run: The run directory.
        lost: Tests that broke off, as pytest names them.
        since: When the session began, in seconds of the epoch. Older results in a folder of the user's are
            those of other runs, and stay; in the run's own folder they are of the part that was run before.
        cases: How many results there should be; None where the run is not whole.
    """
    for unfinished in results.glob("*.tmp"):
        unfinished.unlink(missing_ok=True)
    broken_off = lost_cases(lost)
    if broken_off or cases != sum(1 for _ in results.glob(_RESULTS)):
        recorded = {record["case_id"] for record in read_records(run)} - broken_off
        own = results.resolve() == (run / ALLURE).resolve()
        drop_stale(results, recorded, 0.0 if own else since)
        with ResultWriter(results) as writer:
            write_lost(writer, lost_records(broken_off, read_manifest(run), read_questions(run)), time.time())


def drop_stale(results: Path, recorded: Collection[str], since: float) -> None:
    """Remove the results of cases without a record, and all but one result of those with one.

    The last is kept; but of a case that was taken from the earlier part of its run, its page from there.

    Args:
        results: Folder of the Allure results.
        recorded: Ids of the cases on record.
        since: When the run began, in seconds of the epoch: results of earlier runs stay.
    """
    last: dict[str, tuple[bool, float, Path]] = {}
    for file in results.glob(_RESULTS):
        if file.stat().st_mtime < since:
            continue
        result = _read(file)
        case = _case_of(result)
        if case is None:
            # A test that was ended before it began, by the end of its session, knows not even its full name.
            if result and "fullName" not in result:
                file.unlink()
            continue
        if case not in recorded:
            file.unlink()
            continue
        found = (_has_page(result), float(result.get("stop", 0)), file)
        if case in last:
            min(last[case], found)[-1].unlink()
        last[case] = max(last.get(case, found), found)


def shown_cases(results: Path) -> set[str]:
    """Return the cases that have a result with a page.

    Args:
        results: Folder of the Allure results.
    """
    found = map(_read, results.glob(_RESULTS))
    return {case for result in found if (case := _case_of(result)) is not None and _has_page(result)}


def write_lost(writer: ResultWriter, lost: Iterable[Record], when: float) -> int:
    """Write a broken result for each case that was lost, and return how many these are.

    Args:
        writer: Where they go.
        lost: What is known of them, an infrastructure error each.
        when: When the run ended, in seconds of the epoch.
    """
    count = 0
    for record in lost:
        error = record.infrastructure_error or {}
        details = StatusDetails(message=f"{error['stage']} {error['kind']}: {error['message']}")
        with writer.result(record, when, when, Status.BROKEN, details):
            show_case(record, {}, (), "", {})
        count += 1
    return count


def _read(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _has_page(result: dict[str, Any]) -> bool:
    """Whether a result is the page of a case with a score.

    One of a case that was taken from before knows its name alone, and one that is broken has no score.
    """
    told = any(each["name"] == "prompt" for each in result.get("parameters", ()))
    return told and result.get("status") != Status.BROKEN


def _case_of(result: dict[str, Any]) -> str | None:
    return next((each["value"] for each in result.get("parameters", ()) if each["name"] == "case"), None)
