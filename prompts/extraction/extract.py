"""Queries that stand in an answer without a fence."""

import re
from itertools import takewhile
from typing import NamedTuple

from retrocypher.prompts.extraction.candidates import (
    CLAUSE,
    LONGEST,
    Block,
    Judge,
    Paragraphs,
    Span,
    Standing,
    fenced_blocks,
    spoken,
    unquoted,
)

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


def extract_cypher(answer: str) -> str | None:
    """Return the query in an answer, unchanged to the character; None where there is none.

    What is in ``<think>`` parts does not count, and the marks of a Markdown quote are no part of what it
    quotes. Then, in this order:

    1. the last fenced block that holds a whole query (the grammar accepts it, and it has more than a RETURN);
    2. the last fenced block that holds a broken query, else the last that begins with a clause, blocks tagged
       as another language left out;
    3. in the text outside the blocks, the first whole query, else the first that looks like a broken one;
    4. the last fenced block, unless it is empty or tagged as another language: a query broken at its start;
    5. a whole query inside a block of another language.

    A broken query stays as it is, to be scored as a syntax error.

    Args:
        answer: Any text.

    Raises:
        GraphError: If the grammar cannot be had.
    """
    judge = Judge()
    answer = unquoted(answer)
    parts = [(region, fenced_blocks(answer, region)) for region in spoken(answer)]
    # The last block first: it is the one that counts, and the one to spend the judge's budget on.
    blocks = [block for _, within in parts for block in within][::-1]
    bodies: list[Span] = []
    standings: list[Standing] = []
    for block in blocks:
        bodies.append(_body(answer, block, judge))
        standings.append(judge.standing(answer[slice(*bodies[-1])]))
        if standings[-1] is Standing.WHOLE:
            return _text(answer, bodies[-1])
    for floor in (Standing.BROKEN, Standing.FRAGMENT):
        for standing, body, block in zip(standings, bodies, blocks, strict=True):
            if standing is floor and block.cypher:
                return _text(answer, body)
    gaps = [gap for region, within in parts for gap in _gaps(region, within)]
    found = [each for gap in gaps if (each := bare_query(answer, gap, judge))]
    if found:
        # The highest standing wins; of equal ones, the first.
        return _text(answer, max(found, key=lambda each: each.standing).span)
    for body, block in zip(bodies, blocks, strict=True):
        if block.cypher and _text(answer, body):
            return _text(answer, body)
    inner = (bare_query(answer, block.body, judge) for block in blocks)
    return next(
        (_text(answer, each.span) for each in inner if each and each.standing is Standing.WHOLE), None
    )


def _text(answer: str, span: Span) -> str:
    return answer[span.start : span.stop].strip()


def _body(answer: str, block: Block, judge: Judge) -> Span:
    """Return the text of a block; where its fence is not closed, without the words after the query."""
    if block.closed:
        return block.body
    start = block.body.stop - len(answer[block.body.start : block.body.stop].lstrip())
    return cut(answer, Span(start, block.body.stop), judge)


def _gaps(region: Span, blocks: list[Block]) -> list[Span]:
    """Return what of a region lies outside its blocks."""
    starts = [region.start, *(block.span.stop for block in blocks)]
    stops = [*(block.span.start for block in blocks), region.stop]
    return [Span(start, stop) for start, stop in zip(starts, stops, strict=True)]
