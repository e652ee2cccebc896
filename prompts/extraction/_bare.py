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
# Where words after a query may begin: after a line or sentence, at a closing quotation, a tag or a marker.
_END = re.compile(r"\s*\n|\.(?=\s|\Z)|(?<=;)\s|[\"'`](?=[\s.,;)}]|\Z)|</[A-Za-z]|<\|")
# What goes on so is no prose, but the broken end of the query.
_TAIL = re.compile(
    rf"\s*(?:{_CLAUSE}|(?:AND|AS|DELETE|DETACH|FOREACH|LIMIT|OR|ORDER|REMOVE|SET|SKIP|UNION|WHERE)\b|[,)\]}}])"
)
_CUTS = 8
_STARTS = 40


class Found(NamedTuple):
    """A query in plain text, and how much of one it is."""

    span: Span
    standing: Standing


def bare_query(answer: str, region: Span, judge: Judge) -> Found | None:
    """Return the first whole query in a region, else the first that is broken or a part; None without any."""
    found = _search(answer[region.start : region.stop], judge)
    if found is None:
        return None
    start, stop = found.span
    return Found(Span(region.start + start, region.start + stop), found.standing)


def _search(text: str, judge: Judge) -> Found | None:
    part: Found | None = None
    position = 0
    for _ in range(_STARTS):
        start = _START.search(text, position)
        if start is None:
            break
        group = "begin" if start["begin"] else "inner"
        begin, extent = start.start(group), _extent(text, start, group)
        query = cut(text, Span(begin, extent), judge)
        standing = judge.standing(text[query.start : query.stop])
        if standing is Standing.WHOLE:
            return Found(query, standing)
        # A fragment in prose needs more to count: capitals where a line begins, and no words after it.
        alone = group == "begin" and start[group].isupper() and query.stop == len(text[:extent].rstrip())
        if _LOOKS_BROKEN.match(text, *query) or (alone and judge.accepted(text[query.start : query.stop])):
            part = part or Found(query, standing)
            position = extent
        else:
            position = start.end(group)
    return part


def cut(answer: str, span: Span, judge: Judge) -> Span:
    """Return a query without the words after it; a broken query, and what is no query, stays whole."""
    text = answer[span.start : span.stop].rstrip()
    error = judge.first_error(text)
    if error is not None:
        ends = [match.start() for match in _END.finditer(text) if match.start() <= error]
        for end in reversed(ends[-_CUTS:]):
            if not _TAIL.match(text, end) and judge.standing(text[:end].rstrip()) is Standing.WHOLE:
                return Span(span.start, span.start + len(text[:end].rstrip()))
    return Span(span.start, span.start + len(text))


def _extent(text: str, start: re.Match[str], group: str) -> int:
    """Return where a query that begins at a match must have ended: with its quotation or paragraph."""
    begin = start.start(group)
    stop = len(text)
    if text[start.start() : begin].strip() == "`":
        close = text.find("`", begin, stop)
        return close if close >= 0 else stop
    for gap in _GAP.finditer(text, begin, stop):
        more = _AFTER_RETURN if _RETURN.search(text, begin, gap.start()) else _GOES_ON
        if group == "inner" or not more.match(text, gap.end(), stop):
            return gap.start()
    return stop
