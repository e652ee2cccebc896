"""What a case raises so that pytest shows it red."""

from plugins.records import Record

_SHOWN = 20


class CaseFailedError(AssertionError):
    """A wrong answer: a result, not a fault of the harness."""


class CaseError(Exception):
    """The harness could not ask or answer: never a score."""


def raise_unless_passed(record: Record, difference: str) -> None:
    """Raise what the record says.

    Args:
        record: The case's record.
        difference: What the answer lacks and what it has too much, a line each.

    Raises:
        CaseError: If an infrastructure error is on the record.
        CaseFailedError: If F1 is under the threshold.
    """
    error = record.infrastructure_error
    if error is not None:
        raise CaseError(f"{error['stage']} {error['kind']}: {error['message']}")
    if not record.passed:
        raise CaseFailedError(_reason(record, difference))


def _reason(record: Record, difference: str) -> str:
    scores, execution = record.scores or {}, record.execution or {}
    lines = [
        f"F1 {scores['f1']:.3f} (precision {scores['precision']:.3f}, recall {scores['recall']:.3f}), "
        f"status {execution['status']}, {execution['row_count']} rows",
        f"question: {record.question}",
        f"cypher:   {record.cypher}",
        "difference (- missing, + too much):",
        *difference.splitlines()[:_SHOWN],
    ]
    if execution["message"]:
        lines.insert(1, f"message:  {execution['message']}")
    return "\n".join(lines)
