"""The query in a model's answer."""

from prompts.extraction._bare import bare_query, cut
from prompts.extraction._blocks import Block, fenced_blocks
from prompts.extraction._judge import Judge, Standing
from prompts.extraction._quoted import unquoted
from prompts.extraction._regions import Span, spoken


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
