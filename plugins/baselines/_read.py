"""Reads a baseline back as one side of a comparison."""

import csv
import gzip
import hashlib
import io
import json
import zlib
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.baselines._files import BASELINE, CASES
from plugins.baselines._format import COLUMNS, SCHEMA_VERSION, record_of
from plugins.comparison import Side, asked_as, conditions_of

_REMEDY = "take it from version control again, or save it anew with `retrocypher baseline save`"

_PARTS = {"name", "cases", "part", "cases_sha256", "f1"}


def read_page(folder: Path) -> dict[str, Any]:
    """Read what a baseline says of itself.

    Args:
        folder: Its folder.

    Raises:
        InputError: If it is not JSON of a baseline, or of another schema version.
    """
    file = folder / BASELINE
    try:
        page = json.loads(file.read_bytes())
        version = page["schema_version"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(f"{file}: not a baseline ({error!r}); {_REMEDY}") from error
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{file}: schema version {version!r}, and this RetroCypher reads {SCHEMA_VERSION}; "
            "run it again and save it anew with `retrocypher baseline save RUN NAME --replace`"
        )
    if not isinstance(page.get("manifest"), dict) or not page.keys() >= _PARTS:
        raise InputError(f"{file}: not a baseline (parts are missing); {_REMEDY}")
    return dict(page)


def read_baseline(folder: Path) -> Side:
    """Read a baseline as one side of a comparison.

    Args:
        folder: Its folder.

    Raises:
        InputError: If a file of it cannot be read, is of another schema version, or was changed.
    """
    page, file = read_page(folder), folder / CASES
    try:
        content = gzip.decompress(file.read_bytes())
        if hashlib.sha256(content).hexdigest() != page["cases_sha256"]:
            raise ValueError(f"not the table that {BASELINE} is of")
        header, *lines = csv.reader(io.StringIO(content.decode(), newline=""))
        if tuple(header) != COLUMNS:
            raise ValueError("other columns than a baseline has")
        cases = [record_of(line) for line in lines]
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"{file}: cannot be read ({error}); {_REMEDY}") from error
    return Side(
        name=f"baseline {page.get('name', folder.name)}",
        conditions=conditions_of(page["manifest"]),
        manifest=page["manifest"],
        records=tuple(record for record, _ in cases),
        asked={asked_as(record): asked for record, (asked, _, _) in cases},
        golds={record["question_id"]: gold for record, (_, gold, _) in cases},
        targets={record["question_id"]: target for record, (_, _, target) in cases},
        faults={},
        incomplete="",
        part=str(page.get("part") or ""),
    )
