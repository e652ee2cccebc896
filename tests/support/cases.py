"""Cases in text files: under headings, a query on each line, and its result after an arrow on the next."""

from pathlib import Path
from typing import NamedTuple


class Case(NamedTuple):
    """A line of a file, the heading above it, and the outcome below it, empty where none is written."""

    heading: str
    text: str
    outcome: str


def read_cases(path: Path, heading: str = "") -> list[Case]:
    """Return the cases of a file, or those under headings that begin with a text."""
    found: list[Case] = []
    above = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            above = line.removeprefix("## ")
        elif line.startswith("→ "):
            found[-1] = found[-1]._replace(outcome=line.removeprefix("→ "))
        elif line:
            found.append(Case(above, line, ""))
    return [case for case in found if case.heading.startswith(heading)]
