"""What a case raises so that pytest shows it red."""

from collections.abc import Mapping, Sequence
from typing import Any

from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from retrocypher.plugins.formatting.text import counted, safe
from retrocypher.plugins.runs.record import Record, was_run

_SHOWN = 20


class CaseFailedError(AssertionError):
    """A wrong answer: a result, not a fault of the harness."""


class CaseError(Exception):
    """The harness could not ask or answer: never a score."""


def raise_unless_passed(record: Record, difference: str, told: Mapping[str, str] | None = None) -> None:
    """Raise what the record says.

    Args:
        record: The case's record.
        difference: What the answer lacks and what it has too much, a line each.
        told: What else there is to say, by what it is about (see ``why``).

    Raises:
        CaseError: If an infrastructure error kept the case from its scores.
        CaseFailedError: If F1 is under the threshold.
    """
    error = record.infrastructure_error
    if error is not None and not was_run(record.to_json()):
        raise CaseError(f"{error['stage']} {error['kind']}: {safe(error['message'])}")
    if not record.passed:
        raise CaseFailedError(_reason(record, difference, told or {}))


def headline(errors: Sequence[str], scores: Mapping[str, Any], execution: Mapping[str, Any]) -> str:
    """Return in one line what came of a case: what pytest puts beside its name in the short summary.

    Args:
        errors: The ``errors`` of its record.
        scores: Its ``scores``.
        execution: Its ``execution``.
    """
    count = execution["row_count"]
    rows = counted(count, "row")
    primary = f"{errors[0]}: " if errors else ""
    return (
        f"{primary}F1 {scores['f1']:.3f} (precision {scores['precision']:.3f}, "
        f"recall {scores['recall']:.3f}), status {execution['status']}, {rows}"
    )


def _reason(record: Record, difference: str, told: Mapping[str, str]) -> str:
    scores, execution = record.scores or {}, record.execution or {}
    differing = difference.splitlines()
    more = len(differing) - _SHOWN
    lines = [
        headline(record.errors, scores, execution),
        *([f"message:  {safe(execution['message'])}"] if execution["message"] else []),
        *([f"why:      {', '.join(record.errors)}"] if record.errors else []),
        *(f"{f'{about}:':<10}{safe(text)}" for about, text in told.items()),
        f"question: {safe(record.question)}",
        f"cypher:   {safe(record.cypher or '(no query in the answer)')}",
        "difference (- missing, + too much):",
        *(safe(line) for line in differing[:_SHOWN]),
        *([f"and {counted(more, 'more line')}: see the Allure report"] if more > 0 else []),
    ]
    return "\n".join(lines)


def shortened(text: str, location: tuple[str, int | None, str]) -> ReprExceptionInfo:
    """Shape a case's text as a failure.

    A plain string would do for the terminal, but pytest takes it whole for its short summary on a CI service
    and for the message of a JUnit file; of this it takes the first line, and it survives xdist's transport.

    Args:
        text: What a failed case says, its verdict on the first line.
        location: Where the test is, as on its report: file, line from 0, name.
    """
    path, line, _ = location
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback([ReprEntryNative([f"{text}\n"])], extraline=None, style="native"),
        reprcrash=ReprFileLocation(path, (line or 0) + 1, text.split("\n", 1)[0]),
    )
