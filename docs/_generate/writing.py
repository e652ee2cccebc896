"""Markdown tables, and pages that are written or checked."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

DOCS = Path(__file__).parents[1]
PARTS = DOCS / "_parts"


def cell(text: str) -> str:
    """Return a text, escaped for a table cell."""
    return " ".join(text.split()).replace("<", "&lt;").replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; its cells are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(page: Path, text: str, *, check: bool) -> None:
    """Write a page; with ``check``, exit with status 1 if it has another text."""
    if not check:
        page.write_text(text, "utf-8")
    elif not page.exists() or page.read_text("utf-8") != text:
        sys.exit(f"{page} is out of date: run make pages, and commit it")
