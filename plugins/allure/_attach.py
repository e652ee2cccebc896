"""Attachments, cut where they are long: a page is for looking, the record holds all."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import allure
from allure_commons.types import AttachmentType

from plugins.terminal import counted

CAP = 6_000
"""Most characters of an attachment: 2,400 cases that all end in long rows stay under 60 MB."""


def attach_text(name: str, body: str) -> None:
    """Attach a text.

    Args:
        name: What it is.
        body: The text; what is over `CAP` characters is left out, and its end says so.
    """
    if len(body) > CAP:
        body = f"{body[:CAP]}\n\n… {counted(len(body) - CAP, 'more character')}: {_WHERE}"
    _attach(name, body, AttachmentType.TEXT)


def attach_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Attach rows as JSON, one a line: as easy to read as indented, and made in a tenth of the time.

    Args:
        name: What they are.
        rows: The rows; where they have more than `CAP` characters only the first are attached, as text.
    """
    lines: list[str] = []
    room = CAP
    for row in rows:
        line = json.dumps(row, ensure_ascii=False)
        if len(line) > room:
            more = len(rows) - len(lines)
            note = f"… the last {more:,} of {counted(len(rows), 'row')}: {_WHERE}"
            _attach(name, "\n".join([*lines, line[:room], note]), AttachmentType.TEXT)
            return
        lines.append(line)
        room -= len(line)
    body = ",\n".join(lines)
    _attach(name, f"[\n{body}\n]", AttachmentType.JSON)


_WHERE = "see the case in records.jsonl"


def _attach(name: str, body: str, kind: AttachmentType) -> None:
    # Half a surrogate pair is shown as an escape.
    allure.attach(body.encode("utf-8", "backslashreplace"), name=name, attachment_type=kind)
