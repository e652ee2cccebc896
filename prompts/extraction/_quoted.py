"""Queries quoted as Markdown quotes: each line with a ``>`` before it."""

import re
from collections.abc import Iterator
from itertools import groupby

from prompts.extraction._paragraphs import CLAUSE

_ANY = re.compile(r"^[ \t]*+>", re.MULTILINE)
_QUOTED = re.compile(r"(?:[ \t]{0,3}+>)++")
# No line within a query begins so: what follows `>` there is a value or a node.
_HOLDS_QUERY = re.compile(rf"((?:[ \t]{{0,3}}+>)++)[ \t]*+(?:`{{3}}|~{{3}}|{CLAUSE})")
_MARK = re.compile(r"[ \t]{0,3}+>[ \t]?")


def unquoted(answer: str) -> str:
    """Return an answer without the marks of those quotes that hold a fence or a line that begins a query.

    Args:
        answer: Any text.
    """
    if _ANY.search(answer) is None:
        return answer
    parts = groupby(answer.split("\n"), key=lambda line: _QUOTED.match(line) is not None)
    return "\n".join(
        line for quoted, lines in parts for line in (_without_marks(list(lines)) if quoted else lines)
    )


def _without_marks(lines: list[str]) -> Iterator[str]:
    found = next((held for line in lines if (held := _HOLDS_QUERY.match(line))), None)
    depth = found[1].count(">") if found else 0
    for line in lines:
        start = 0
        for _ in range(depth):
            mark = _MARK.match(line, start)
            if mark is None:
                break
            start = mark.end()
        yield line[start:]
