"""What a completion holds: a query, in JSON, in a fenced block or in plain text; or JSON."""

import json
import re
from collections.abc import Iterable
from itertools import takewhile
from typing import Any, NamedTuple

from retrocypher.prompts.extraction.candidates import (
    CLAUSE,
    LONGEST,
    Block,
    GrammarReader,
    Paragraphs,
    Span,
    Standing,
    fenced_blocks,
    visible_spans,
    visible_text,
    without_quote_marks,
)
from retrocypher.prompts.extraction.structured import (
    LONGEST_JSON,
    json_values,
    query_in,
    query_in_fields,
    unescaped,
    with_doubled_backslashes,
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


def extract_cypher(completion: str) -> str | None:
    r"""Return the query in a completion, unchanged to the character; None where there is none.

    A query in JSON (``{"cypher": "…"}``, the arguments of a tool's call) comes first, decoded once.
    What is in ``<think>`` parts does not count, and the marks of a Markdown quote are no part of what it
    quotes. Then, in this order:

    1. the last fenced block that holds a whole query (the grammar accepts it, and it has more than a RETURN);
    2. the last fenced block that holds a broken query, else the last that begins with a clause, blocks tagged
       as another language left out;
    3. in the text outside the blocks, the first whole query, else the first that looks like a broken one;
    4. the last fenced block, unless it is empty or tagged as another language: a query broken at its start;
    5. a whole query inside a block of another language.

    HTML entities and a literal ``\n`` are decoded only where the query does not parse and then does.
    A broken query stays as it is, to be scored as a syntax error. Raises GraphError if the tables of the
    grammar cannot be loaded.
    """
    reader = GrammarReader()
    found = _query(completion, reader)
    if found is None or _is_whole(found, reader):
        return found if found is not None else _first_whole(unescaped(completion, reader), reader)
    return _first_whole([*unescaped(found, reader), *unescaped(completion, reader)], reader) or found


def _is_whole(query: str, reader: GrammarReader) -> bool:
    return reader.standing(query) is Standing.WHOLE


def _first_whole(texts: Iterable[str], reader: GrammarReader) -> str | None:
    """Return the first whole query in other readings of a text."""
    queries = (_query(text, reader) for text in texts)
    return next((query for query in queries if query is not None and _is_whole(query, reader)), None)


def _query(completion: str, reader: GrammarReader) -> str | None:
    """Return the query in a completion as given: in JSON, in a block or in plain text."""
    visible = visible_text(completion)
    values = [
        (each, query)
        for each in json_values(visible)
        # A query in quotes is no JSON string unless it has to be decoded.
        if not (isinstance(each.value, str) and _is_whole(visible[each.start + 1 : each.stop - 1], reader))
        and (query := query_in(each.value, reader))
    ]
    if values:
        rest, position = [], 0
        for each, _ in values:
            rest.append(visible[position : each.start])
            position = each.stop
        outside = "".join([*rest, visible[position:]])
        blocks = fenced_blocks(outside, Span(0, len(outside)))
        # A block of Cypher beside the JSON is the query, and the JSON an example of something.
        if not any(_is_whole(_text(outside, block.body), reader) for block in blocks):
            decoded = [query for _, query in values]
            query = next((each for each in decoded[::-1] if _is_whole(each, reader)), decoded[-1])
            return _query(query, reader) if "```" in query else query
    plain = _plain_query(completion, reader)
    # A query within a field, such as that of a Python dictionary, is decoded; one with a map stays.
    around = plain if plain is not None and _is_whole(plain, reader) else ""
    return query_in_fields(visible, around, reader) or plain


def _plain_query(completion: str, reader: GrammarReader) -> str | None:
    completion = without_quote_marks(completion)
    parts = [(region, fenced_blocks(completion, region)) for region in visible_spans(completion)]
    # The last block first: it is the one that counts, and the one to spend the reader's budget on.
    blocks = [block for _, within in parts for block in within][::-1]
    bodies: list[Span] = []
    standings: list[Standing] = []
    for block in blocks:
        bodies.append(_body(completion, block, reader))
        standings.append(reader.standing(completion[slice(*bodies[-1])]))
        if standings[-1] is Standing.WHOLE:
            return _text(completion, bodies[-1])
    for floor in (Standing.BROKEN, Standing.FRAGMENT):
        for standing, body, block in zip(standings, bodies, blocks, strict=True):
            if standing is floor and block.cypher:
                return _text(completion, body)
    gaps = [gap for region, within in parts for gap in _gaps(region, within)]
    found = [each for gap in gaps if (each := _bare_query(completion, gap, reader))]
    if found:
        # The highest standing wins; of equal ones, the first.
        return _text(completion, max(found, key=lambda each: each.standing).span)
    for body, block in zip(bodies, blocks, strict=True):
        if block.cypher and _text(completion, body):
            return _text(completion, body)
    inner = (_bare_query(completion, block.body, reader) for block in blocks)
    return next(
        (_text(completion, each.span) for each in inner if each and each.standing is Standing.WHOLE), None
    )


def _text(completion: str, span: Span) -> str:
    return completion[span.start : span.stop].strip()


def _body(completion: str, block: Block, reader: GrammarReader) -> Span:
    """Return the text of a block; where its fence is not closed, without the words after the query."""
    if block.closed:
        return block.body
    start = block.body.stop - len(completion[block.body.start : block.body.stop].lstrip())
    return _without_words(completion, Span(start, block.body.stop), reader)


def _gaps(region: Span, blocks: list[Block]) -> list[Span]:
    """Return what of a region lies outside its blocks."""
    starts = [region.start, *(block.span.stop for block in blocks)]
    stops = [*(block.span.start for block in blocks), region.stop]
    return [Span(start, stop) for start, stop in zip(starts, stops, strict=True)]


class _Bare(NamedTuple):
    """A query in plain text, and how much of one it is."""

    span: Span
    standing: Standing


def _bare_query(completion: str, region: Span, reader: GrammarReader) -> _Bare | None:
    """Return the first whole query in a region, else the first that is broken or a part; None without any."""
    if reader.spent:
        return None
    found = _search(completion[region.start : region.stop], reader)
    if found is None:
        return None
    start, stop = found.span
    return _Bare(Span(region.start + start, region.start + stop), found.standing)


def _search(text: str, reader: GrammarReader) -> _Bare | None:
    part: _Bare | None = None
    position = 0
    paragraphs = Paragraphs(text)
    for _ in range(_STARTS):
        start = None if reader.spent else _START.search(text, position)
        if start is None:
            break
        group = "begin" if start["begin"] else "inner"
        begin, extent = start.start(group), _extent(text, start, group, paragraphs)
        query = _without_words(text, Span(begin, extent), reader)
        standing = reader.standing(text[query.start : query.stop])
        if standing is Standing.WHOLE:
            return _Bare(query, standing)
        # A fragment in prose needs more to count: capitals where a line begins, and no words after it.
        alone = group == "begin" and start[group].isupper() and not text[query.stop : extent].strip()
        looked_at = min(query.stop, query.start + LONGEST)
        if _LOOKS_BROKEN.match(text, query.start, looked_at) or (
            alone and reader.accepted(text[query.start : query.stop])
        ):
            part = part or _Bare(query, standing)
            position = extent
        else:
            position = start.end(group)
    return part


def _without_words(completion: str, span: Span, reader: GrammarReader) -> Span:
    """Return a query without the words after it; a broken query, and what is no query, stays whole."""
    text = completion[span.start : span.stop].rstrip()
    error = reader.first_error(text)
    if error:
        found = takewhile(lambda match: match.start() <= error, _END.finditer(text))
        ends = [match.start() for match in found]
        for end in reversed(ends[-_CUTS:]):
            if not _TAIL.match(text, end) and reader.standing(text[:end].rstrip()) is Standing.WHOLE:
                return Span(span.start, span.start + len(text[:end].rstrip()))
        before = text[:error].rstrip()
        if _SENTENCE.match(text, error) and reader.standing(before) is Standing.WHOLE:
            return Span(span.start, span.start + len(before))
    return Span(span.start, span.start + len(text))


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


_MOST_STARTS = 50
_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)


def extract_json(completion: str) -> dict[str, Any] | None:
    """Return the first JSON object in a completion that has a key; None where there is none.

    Words and fences around it are skipped, and so is what stands between ``<think>`` tags. Line breaks within
    strings are accepted.
    """
    text = re.sub(r"<think>.*?(</think>|\Z)", "", completion[:LONGEST_JSON], flags=re.DOTALL)
    decoder = json.JSONDecoder(strict=False)
    # SMILES contain backslashes that JSON does not allow: read a second time with those doubled.
    for written in (text, with_doubled_backslashes(text)):
        for start in [match.start() for match in re.finditer(r"\{", written)][:_MOST_STARTS]:
            try:
                found, _ = decoder.raw_decode(written, start)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and found:
                return found
    return None


def yes_or_no(value: Any) -> bool | None:
    """Read a boolean or a word such as ``yes`` or ``invalid``; None where a field says neither."""
    if isinstance(value, bool):
        return value
    word = str(value).strip().strip(".!\"'").lower()
    if word in ("true", "yes", "valid", "accepted", "correct", "ok", "pass"):
        return True
    return False if word in ("false", "no", "invalid", "rejected", "incorrect", "wrong", "fail") else None


def texts(value: Any) -> list[str]:
    """Return the texts of a field: one text, or a list of texts or objects.

    Of an object, the values are joined, without that of its key ``item``.
    """
    entries = value if isinstance(value, list) else [value]
    return [text for entry in entries if (text := _entry_text(entry))]


def _entry_text(entry: Any) -> str:
    if isinstance(entry, dict):
        parts = [str(part) for key, part in entry.items() if key != "item" and part not in (None, "", [])]
        return ": ".join(parts).strip()
    return "" if entry is None else str(entry).strip()


def sole_json(reply: str) -> Any:
    """Return the JSON value that a reply consists of, a fence around it aside.

    Several values, a value among words, a repeated name and NaN or Infinity are refused: their meaning is
    unclear, and text that a reply quotes must not be read as its own. Raises ValueError with the reason.
    """
    text = reply.strip()
    if len(text) > LONGEST_JSON:
        raise ValueError(f"longer than {LONGEST_JSON:,} characters")
    if fenced := _FENCED.match(text):
        text = fenced[1]
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deep") from None
    except _UnclearError as error:
        raise ValueError(str(error)) from None
    except ValueError as error:
        raise ValueError(f"not JSON ({error})") from None


class _UnclearError(ValueError):
    """JSON that Python reads but whose meaning is unclear."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _UnclearError("a name stands twice in one object")
    return found


def _no_number(name: str) -> Any:
    raise _UnclearError(f"{name} is no number")
