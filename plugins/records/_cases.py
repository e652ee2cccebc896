"""Cases of a run, found without reading their records whole."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.records._files import RECORDS
from plugins.records._no_run import no_run
from plugins.records._read import record_of_line

# How the line of a record begins, as it is written: by far the most of it need not be read for this.
_CASE_ID = re.compile(rb'\{"schema_version": \d+, "case_id": ("(?:[^"\\]|\\.)*")')


def locate_cases(path: Path) -> Iterator[tuple[int, int, str]]:
    """Yield the ids of a run's cases in the order of their records, which are not read for it.

    Args:
        path: The run directory.

    Returns:
        Number of the line from 1, bytes before it, and the id of its case.

    Raises:
        InputError: If the folder has no records, or a line does not begin as one and is none.
    """
    file = path / RECORDS
    if not file.is_file():
        raise no_run(path, RECORDS)
    offset = 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            begins = _CASE_ID.match(line)
            if begins is not None and line.endswith(b"\n"):
                yield number, offset, str(json.loads(begins[1]))
            elif (record := record_of_line(path, number, line)) is not None:
                yield number, offset, str(record["case_id"])
            offset += len(line)


def read_case_at(path: Path, number: int, offset: int) -> dict[str, Any]:
    """Return the record of a case that `locate_cases` gave.

    Args:
        path: The run directory.
        number: Number of its line.
        offset: Bytes before the line.

    Raises:
        InputError: As `read_records` does.
    """
    with (path / RECORDS).open("rb") as file:
        file.seek(offset)
        record = record_of_line(path, number, file.readline())
    if record is None:
        raise InputError(
            f"{path / RECORDS}, line {number}: the file was changed while it was read; try again"
        )
    return record
