"""What the earlier part of a run has, and which of it is kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kg.errors import InputError
from plugins.records import is_whole, locate_messages, read_records
from plugins.resume._paid import Call, paid_calls


@dataclass(frozen=True, slots=True)
class Earlier:
    """The earlier part of a run.

    Attributes:
        lines: Numbers of the lines of its records that are kept, from 1: the newest of each case that has
            a score and, where one was to be written, an answer.
        retried: How many cases had an infrastructure error or lack their answer; they are tried again.
        dropped: Whether there are lines that are not kept.
        paid: What was paid for each case that is tried again, by its id.
    """

    lines: frozenset[int]
    retried: int
    dropped: bool
    paid: Mapping[str, Mapping[Call, float | None]] = field(default_factory=dict)


def look_at(run: Path) -> Earlier:
    """Read the records and messages of a run that is to be gone on with.

    Args:
        run: The run directory.

    Raises:
        InputError: If a line is not what a run writes there, but for half a line at the end, or is of another
            version.
    """
    newest: dict[str, tuple[int, bool]] = {}
    paid: dict[str, dict[Call, float | None]] = {}
    count = 0
    try:
        for count, record in enumerate(read_records(run), 1):
            case, whole = str(record["case_id"]), is_whole(record)
            newest[case] = count, whole
            # A whole record tells what was paid; until then attempts add up.
            paid[case] = {} if whole else {**paid.get(case, {}), **paid_calls(record)}
        # Before anything is changed: a run without its messages cannot be told whole again.
        for _ in locate_messages(run):
            pass
    except InputError as error:
        raise InputError(
            f"{error}; to ask all of its cases again, give --fresh, or with --run-dir another folder"
        ) from error
    kept = frozenset(number for number, scored in newest.values() if scored)
    return Earlier(
        kept,
        len(newest) - len(kept),
        len(kept) < count,
        {case: calls for case, calls in paid.items() if calls},
    )
