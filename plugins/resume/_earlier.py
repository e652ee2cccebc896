"""What the earlier part of a run has, and which of it is kept."""

from dataclasses import dataclass
from pathlib import Path

from kg.errors import InputError
from plugins.records import is_whole, locate_messages, read_records


@dataclass(frozen=True, slots=True)
class Earlier:
    """The earlier part of a run.

    Attributes:
        lines: Numbers of the lines of its records that are kept, from 1: the newest of each case that has
            a score and, where one was to be written, an answer.
        retried: How many cases had an infrastructure error or lack their answer; they are tried again.
        dropped: Whether there are lines that are not kept.
    """

    lines: frozenset[int]
    retried: int
    dropped: bool


def look_at(run: Path) -> Earlier:
    """Read the records and messages of a run that is to be gone on with.

    Args:
        run: The run directory.

    Raises:
        InputError: If a line is not what a run writes there, but for half a line at the end, or is of another
            version.
    """
    newest: dict[str, tuple[int, bool]] = {}
    count = 0
    try:
        for count, record in enumerate(read_records(run), 1):
            newest[str(record["case_id"])] = count, is_whole(record)
        # Before anything is changed: a run without its messages cannot be told whole again.
        for _ in locate_messages(run):
            pass
    except InputError as error:
        raise InputError(
            f"{error}; to ask all of its cases again, give --fresh, or with --run-dir another folder"
        ) from error
    kept = frozenset(number for number, scored in newest.values() if scored)
    return Earlier(kept, len(newest) - len(kept), len(kept) < count)
