"""Queries that stand in an answer without a fence."""

import re
from typing import NamedTuple

from prompts.extraction._judge import Judge, Standing
from prompts.extraction._regions import Span

_CLAUSE = (
    r"(?:EXPLAIN|PROFILE|OPTIONAL\s+MATCH|MATCH|UNWIND|WITH|CALL|CREATE|MERGE|LOAD\s+CSV|SHOW|USE|RETURN)\b"
)
# In capitals a clause may begin after any space; otherwise only where a line, a label or a quotation begins.
_LINE_START = r"^[ \t>*\-\d.)]*|[:`\"'>]\s*"
_START = re.compile(rf"(?:{_LINE_START})(?P<begin>(?i:{_CLAUSE}))|(?<=\s)(?P<inner>{_CLAUSE})", re.MULTILINE)
_LOOKS_BROKEN = re.compile(
    r"(?:(?:EXPLAIN|PROFILE|OPTIONAL)\s+)*MATCH\s*(?:\w+\s*=\s*)?\w*\s*\(.*?(?:\bRETURN\b|\)\s*<?-)",
    re.IGNORECASE | re.DOTALL,
)
_GAP = re.compile(r"\r?\n[ \t]*\r?\n\s*")
_GOES_ON = re.compile(rf"(?:{_CLAUSE}|(?:WHERE|SET|REMOVE|DELETE|DETACH|FOREACH|UNION|ORDER|SKIP|LIMIT)\b)")
_AFTER_RETURN = re.compile(r"(?:UNION|ORDER|SKIP|LIMIT)\b")
_RETURN = re.compile(r"\bRETURN\b")
# No query holds these outside a literal, and no SMILES holds them at all.
_MARKUP = re.compile(r"</[A-Za-z]|<\||`{3}")
_END = re.compile(r"\s*\n|\.(?=\s|\Z)")
_CUTS = 8
_STARTS = 40


class Found(NamedTuple):
    """A query in plain text, and how much of one it is."""

    span: Span
    standing: Standing


def bare_query(answer: str, region: Span, judge: Judge) -> Found | None:
    """Return the first whole query in a region, else the first that is broken or a part; None without any."""
    part: Found | None = None
    position = region.start
    for _ in range(_STARTS):
        start = _START.search(answer, position, region.stop)
        if start is None:
            break
        group = "begin" if start["begin"] else "inner"
        extent = _extent(answer, start, group, region.stop)
        begin = start.start(group)
        query = cut(answer, Span(begin, extent), judge)
        text = answer[query.start : query.stop]
        standing = judge.standing(text)
        if standing is Standing.WHOLE:
            return Found(query, standing)
        capitals = start[group].isupper() and group == "begin"
        if _LOOKS_BROKEN.match(text) or (capitals and judge.accepted(text)):
            part = part or Found(query, standing)
            position = extent
        else:
            position = start.end(group)
    return part


def cut(answer: str, span: Span, judge: Judge) -> Span:
    """Return a query without the words after it: up to where the grammar still accepts it.

    Text of which the grammar accepts no beginning is a broken query and stays whole.
    """
    text = answer[span.start : span.stop].rstrip()
    error = judge.first_error(text)
    if error is None:
        return Span(span.start, span.start + len(text))
    ends = [match.start() for match in _END.finditer(text, 0, min(error + 1, len(text)))]
    for end in [*reversed(ends[-_CUTS:]), error]:
        before = text[:end].rstrip()
        if before and judge.accepted(before):
            return Span(span.start, span.start + len(before))
    return Span(span.start, span.start + len(text))


def _extent(answer: str, start: re.Match[str], group: str, stop: int) -> int:
    """Return where a query that begins at a match must have ended: closing quotation, markup or paragraph."""
    begin = start.start(group)
    markup = _MARKUP.search(answer, begin, stop)
    stop = markup.start() if markup else stop
    quoted = answer[start.start() : begin].strip()
    if quoted == "`":
        close = answer.find("`", begin, stop)
        return close if close >= 0 else stop
    for gap in _GAP.finditer(answer, begin, stop):
        more = _AFTER_RETURN if _RETURN.search(answer, begin, gap.start()) else _GOES_ON
        if group == "inner" or not more.match(answer, gap.end(), stop):
            return gap.start()
    return stop
