"""Where a query in plain text must have ended: with a paragraph that Cypher does not go on after."""

import re
from bisect import bisect_left
from functools import cached_property

CLAUSE = (
    r"(?:EXPLAIN|PROFILE|OPTIONAL\s+MATCH|MATCH|UNWIND|WITH|CALL|CREATE|MERGE|LOAD\s+CSV|SHOW|USE|RETURN)\b"
)
_GAP = re.compile(r"\r?\n[ \t]*\r?\n\s*")
_GOES_ON = re.compile(rf"(?:{CLAUSE}|(?:WHERE|SET|REMOVE|DELETE|DETACH|FOREACH|UNION|ORDER|SKIP|LIMIT)\b)")
_AFTER_RETURN = re.compile(r"(?:UNION|ORDER|SKIP|LIMIT)\b")
_RETURN = re.compile(r"\bRETURN\b")


class Paragraphs:
    """The ends of a text's paragraphs, each found once, however many queries begin in it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def first_end(self, begin: int) -> int:
        """Return where the paragraph ends that an offset is in."""
        return self._next(self._ends[0], begin)

    def query_end(self, begin: int) -> int:
        """Return where the query ends that begins at an offset: after its RETURN no new clause is its own."""
        returned = self._next(self._returns, begin)
        end = self._next(self._ends[1], begin)
        return end if end < returned else self._next(self._ends[2], returned)

    def _next(self, offsets: list[int], begin: int) -> int:
        at = bisect_left(offsets, begin)
        return offsets[at] if at < len(offsets) else len(self._text)

    @cached_property
    def _returns(self) -> list[int]:
        return [match.start() for match in _RETURN.finditer(self._text)]

    @cached_property
    def _ends(self) -> tuple[list[int], list[int], list[int]]:
        """All ends; those no clause follows; those followed by nothing that may stand after a RETURN."""
        gaps = list(_GAP.finditer(self._text))
        return (
            [gap.start() for gap in gaps],
            [gap.start() for gap in gaps if not _GOES_ON.match(self._text, gap.end())],
            [gap.start() for gap in gaps if not _AFTER_RETURN.match(self._text, gap.end())],
        )
