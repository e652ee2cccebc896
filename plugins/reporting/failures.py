"""How pytest shows a case that failed."""

from collections.abc import Iterator

from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from retrocypher.plugins.formatting.text import counted, safe
from retrocypher.plugins.reporting.case_view import NO_QUERY, CaseView

_SHOWN = 20
"""Most lines of a difference."""


class CaseFailedError(AssertionError):
    """A wrong answer: a result, not a fault of the harness."""


class CaseError(Exception):
    """The harness could not ask or answer: never a score."""


def failure_of(view: CaseView) -> CaseError | CaseFailedError | None:
    """Return what pytest is to raise for a case: CaseError without scores, None for a case that passed."""
    if (fault := view.fault) is not None:
        return CaseError(f"{fault.stage} {fault.kind}: {safe(fault.message)}")
    return None if view.record.passed else CaseFailedError("\n".join(_lines(view)))


def _lines(view: CaseView) -> Iterator[str]:
    record, differing = view.record, view.explanation.difference
    yield view.headline
    if record.execution is not None and record.execution.message:
        yield f"message:  {safe(record.execution.message)}"
    if record.errors:
        yield f"why:      {', '.join(record.errors)}"
    yield from (f"{f'{about}:':<10}{safe(text)}" for about, text in view.explanation.why.items())
    yield f"question: {safe(record.question)}"
    yield f"cypher:   {safe(record.cypher or NO_QUERY)}"
    yield "difference (- missing, + too much):"
    yield from map(safe, differing[:_SHOWN])
    if len(differing) > _SHOWN:
        yield f"and {counted(len(differing) - _SHOWN, 'more line')}: see the Allure report"


def failure_repr(text: str, location: tuple[str, int | None, str]) -> ReprExceptionInfo:
    """Return the text of a failed case as pytest's representation of a failure.

    A plain string would do for the terminal, but pytest takes all of it for its short summary on a CI service
    and for the message of a JUnit file. Of this one it takes the first line, and xdist can transport it.

    Args:
        location: Where the test is, as on its report: file, line from 0, name.
    """
    path, line, _ = location
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback([ReprEntryNative([f"{text}\n"])], extraline=None, style="native"),
        reprcrash=ReprFileLocation(path, (line or 0) + 1, text.split("\n", 1)[0]),
    )
