"""Cases that broke off with their worker or in the harness: they have no record, and yet were to be asked."""

import json
import re
import time
import warnings
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import allure_commons
from allure_commons.model2 import Status, StatusDetails

from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.sampling import phrase
from retrocypher.plugins.reporting.allure.case import show_case
from retrocypher.plugins.reporting.allure.writer import ResultWriter
from retrocypher.plugins.runs.files import ALLURE
from retrocypher.plugins.runs.log import read_manifest, read_questions, read_records
from retrocypher.plugins.runs.record import Record
from retrocypher.prompts.templates.exemplars import SHOTS

LOST = {
    "stage": "harness",
    "kind": "lost",
    "message": "the case broke off with its worker or in the harness; what the run printed says more",
}


def lost_cases(tests: Collection[str]) -> set[str]:
    """Return the ids of the cases that tests ask, from the tests' names as pytest has them."""
    return {test.partition("[")[2].removesuffix("]") for test in tests}


def lost_records(
    lost: Collection[str], manifest: Mapping[str, Any], questions: Mapping[str, Question]
) -> Iterator[Record]:
    """Yield a record for each lost case, with no round and no score.

    Args:
        lost: The ids of the cases.
        manifest: The manifest of the run.
        questions: Its questions by id.
    """
    if not lost:
        return
    parts = (manifest["prompts"], SHOTS, manifest["loops"]["names"], [m["label"] for m in manifest["models"]])
    pattern = re.compile(
        r"(.+?)(?:-w(\d+))?" + "".join(f"-({'|'.join(map(re.escape, part))})" for part in parts)
    )
    for case in sorted(lost):
        named = pattern.fullmatch(case)
        if named is None or named[1] not in questions:
            continue
        phrasing = int(named[2] or 1)
        question = phrase(questions[named[1]], phrasing)
        yield Record(
            case_id=case,
            question_id=question.id,
            task=question.task,
            setting=question.setting,
            steps=question.steps,
            prompt=named[3],
            shot=named[4],
            loop=named[5],
            model=named[6],
            exemplar_id=None,
            question=question.text,
            reference_cypher=question.reference_cypher,
            phrasing=phrasing,
            infrastructure_error=dict(LOST),
        )


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


def forgive_unwritten() -> Callable[[], None]:
    """Let no result that cannot be written end this process's session; return what undoes that."""
    forgiving = _Forgiving()
    allure_commons.plugin_manager.register(forgiving)
    return lambda: allure_commons.plugin_manager.unregister(forgiving)


class _Forgiving:
    """Takes what writing an Allure result raises: a page that cannot be made must not decide a case.

    The pages are made again when the run is gone on with, or by ``retrocypher allure``.
    """

    @allure_commons.hookimpl(wrapper=True)
    def report_result(self) -> Generator[None, list[None], list[None]]:
        """Around the writing of a result."""
        return (yield from _forgiven())

    @allure_commons.hookimpl(wrapper=True)
    def report_container(self) -> Generator[None, list[None], list[None]]:
        """Around the writing of what its fixtures did."""
        return (yield from _forgiven())

    @allure_commons.hookimpl(wrapper=True)
    def report_attached_data(self) -> Generator[None, list[None], list[None]]:
        """Around the writing of an attachment."""
        return (yield from _forgiven())


def _forgiven() -> Generator[None, list[None], list[None]]:
    try:
        return (yield)
    except OSError as error:
        warnings.warn(f"Allure's results are not whole: {error}", stacklevel=2)
        return []
