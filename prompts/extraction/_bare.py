"""Queries that stand in an answer without a fence."""

import re
from itertools import takewhile
from typing import NamedTuple

from prompts.extraction._judge import LONGEST, Judge, Standing
from prompts.extraction._paragraphs import CLAUSE, Paragraphs
from prompts.extraction._regions import Span

# In capitals a clause may begin after any space; otherwise only where a line, a label or a quotation begins.
_LINE_START = r"^[ \t>*\-\d.)]*|[:`\"'>]\s*+\**|(?<=\s)\*+"
_START = re.compile(rf"(?:{_LINE_START})(?P<begin>(?i:{CLAUSE}))|(?<=\s)(?P<inner>{CLAUSE})", re.MULTILINE)
_LOOKS_BROKEN = re.compile(
    r"(?:(?:EXPLAIN|PROFILE|OPTIONAL)\s++)*+MATCH\s*+(?:\w++\s*+=\s*+)?\w*+\s*+\(.*?(?:\bRETURN\b|\)\s*+<?-)",
    re.IGNORECASE | re.DOTALL,
)
# Where words after a query may begin: after a line or sentence, at a closing quotation, a tag or a marker.
_END = re.compile(r"(?<!\s)\s*\n|\.(?=\s|\Z)|(?<=;)\s|[\"'`](?=[\s.,;)}]|\Z)|</[A-Za-z]|<\|")
# What goes on so is no prose, but the broken end of the query.
_TAIL = re.compile(
    rf"\s*(?:{CLAUSE}|(?:AND|AS|DELETE|DETACH|FOREACH|LIMIT|OR|ORDER|REMOVE|SET|SKIP|UNION|WHERE)\b|[,)\]}}])"
)
# A sentence after a query on the same line. Its first word is none that a query goes on with; its second is
# in small letters, unlike the names that follow a slip.
_SENTENCE = re.compile(
    rf"(?!(?i:{CLAUSE}|(?:AND|AS|BY|CONTAINS|DELETE|DETACH|ELSE|END|ENDS|FOREACH|IN|IS|LIMIT|NOT|OR|ORDER|REMOVE"
    r"|SET|SKIP|STARTS|THEN|UNION|WHEN|WHERE|XOR|YIELD)\b))"
    r"[A-Z][a-z]*+[ \t]+[a-z][a-z'\-]*+(?:,?[ \t]+`?\w[\w'\-]*+`?){2,60}[.!](?=\s|\Z)"
)
# How Markdown's emphasis ends. One asterisk may stand in a query, two together in its texts only.
_ITALIC_END = re.compile(r"(?<=\S)\*(?=\.?\s*\Z)")
_BOLD_END = re.compile(r"(?<=\S)\*\*+(?=[\s.,;:!?)]|\Z)")
_CUTS = 8
_STARTS = 40


class Found(NamedTuple):
    """A query in plain text, and how much of one it is."""

    span: Span
    standing: Standing


def bare_query(answer: str, region: Span, judge: Judge) -> Found | None:
    """Return the first whole query in a region, else the first that is broken or a part; None without any."""
    if judge.spent:
        return None
    found = _search(answer[region.start : region.stop], judge)
    if found is None:
        return None
    start, stop = found.span
    return Found(Span(region.start + start, region.start + stop), found.standing)


def _search(text: str, judge: Judge) -> Found | None:
    part: Found | None = None
    position = 0
    paragraphs = Paragraphs(text)
    for _ in range(_STARTS):
        start = None if judge.spent else _START.search(text, position)
        if start is None:
            break
        group = "begin" if start["begin"] else "inner"
        begin, extent = start.start(group), _extent(text, start, group, paragraphs)
        query = cut(text, Span(begin, extent), judge)
        standing = judge.standing(text[query.start : query.stop])
        if standing is Standing.WHOLE:
            return Found(query, standing)
        # A fragment in prose needs more to count: capitals where a line begins, and no words after it.
        alone = group == "begin" and start[group].isupper() and _ends_with(text, query, extent)
        looked_at = min(query.stop, query.start + LONGEST)
        if _LOOKS_BROKEN.match(text, query.start, looked_at) or (
            alone and judge.accepted(text[query.start : query.stop])
        ):
            part = part or Found(query, standing)
            position = extent
        else:
            position = start.end(group)
    return part


def cut(answer: str, span: Span, judge: Judge) -> Span:
    """Return a query without the words after it; a broken query, and what is no query, stays whole."""
    text = answer[span.start : span.stop].rstrip()
    error = judge.first_error(text)
    if error:
        found = takewhile(lambda match: match.start() <= error, _END.finditer(text))
        ends = [match.start() for match in found]
        for end in reversed(ends[-_CUTS:]):
            if not _TAIL.match(text, end) and judge.standing(text[:end].rstrip()) is Standing.WHOLE:
                return Span(span.start, span.start + len(text[:end].rstrip()))
        before = text[:error].rstrip()
        if _SENTENCE.match(text, error) and judge.standing(before) is Standing.WHOLE:
            return Span(span.start, span.start + len(before))
    return Span(span.start, span.start + len(text))


def _ends_with(text: str, query: Span, extent: int) -> bool:
    """Tell whether nothing but space stands between a query and its extent."""
    return not text[query.stop : extent].strip()


def _extent(text: str, start: re.Match[str], group: str, paragraphs: Paragraphs) -> int:
    """Return where a query that begins at a match must have ended: with its quotation or paragraph."""
    begin = start.start(group)
    before = text[start.start() : begin]
    if before.strip() == "`":
        close = text.find("`", begin)
        return close if close >= 0 else len(text)
    end = paragraphs.first_end(begin) if group == "inner" else paragraphs.query_end(begin)
    asterisks = len(before) - len(before.rstrip("*"))
    if asterisks:
        ends = _ITALIC_END if asterisks == 1 else _BOLD_END
        emphasis = ends.search(text, begin, min(end, begin + LONGEST))
        return emphasis.start() if emphasis else end
    return end
