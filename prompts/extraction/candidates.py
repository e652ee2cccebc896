"""Where a completion may hold a query, and how much of a query a piece of it is.

In the order in which `extract_cypher` uses them: text outside ``<think>`` parts, Markdown quotes, fenced
blocks, paragraphs; and `GrammarReader`, which reads pieces with the grammar within a budget.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from enum import IntEnum
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.cypher.tokens import TokenKind, tokens

STARTERS = frozenset(
    {"CALL", "CREATE", "CYPHER", "DELETE", "DETACH", "EXPLAIN", "FOREACH", "INSERT", "LOAD", "MATCH", "MERGE"}
    | {"OPTIONAL", "PROFILE", "REMOVE", "RETURN", "SET", "SHOW", "TERMINATE", "UNWIND", "USE", "WITH"}
)
CLAUSE = (
    r"(?:EXPLAIN|PROFILE|OPTIONAL\s+MATCH|MATCH|UNWIND|WITH|CALL|CREATE|MERGE|LOAD\s+CSV|SHOW|USE|RETURN)\b"
)

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", re.IGNORECASE)


class Span(NamedTuple):
    """Offsets into a completion."""

    start: int
    stop: int


def visible_spans(completion: str) -> list[Span]:
    """Return the spans of a completion outside its ``<think>`` parts, in order.

    A part that is never closed runs to the end: the model was cut off while it thought. A closing tag with no
    opening one ends a part that began with the completion, as chat templates that open it themselves have it.
    """
    spans: list[Span] = []
    start, thinking = 0, False
    for tag in _TAG.finditer(completion):
        if not tag[1]:
            if not thinking:
                spans.append(Span(start, tag.start()))
            thinking = True
        else:
            if not thinking:
                spans.clear()
            start, thinking = tag.end(), False
    if not thinking:
        spans.append(Span(start, len(completion)))
    return spans


def visible_text(completion: str) -> str:
    """Return a completion without its ``<think>`` parts and without blanks around it."""
    return "".join(completion[span.start : span.stop] for span in visible_spans(completion)).strip()


_ANY = re.compile(r"^[ \t]*+>", re.MULTILINE)
_QUOTED = re.compile(r"(?:[ \t]{0,3}+>)++")
# No line within a query begins so: what follows `>` there is a value or a node.
_HOLDS_QUERY = re.compile(rf"((?:[ \t]{{0,3}}+>)++)[ \t]*+(?:`{{3}}|~{{3}}|{CLAUSE})")
_MARK = re.compile(r"[ \t]{0,3}+>[ \t]?")


def without_quote_marks(completion: str) -> str:
    """Remove the marks of those Markdown quotes that hold a fence or a line that begins a query."""
    if _ANY.search(completion) is None:
        return completion
    parts = groupby(completion.split("\n"), key=lambda line: _QUOTED.match(line) is not None)
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


_FENCE = re.compile(r"`{3,}|^[ \t>]*~{3,}", re.MULTILINE)
_RUN = re.compile(r"`{3,}|~{3,}")
# What follows the tag that opens a block is a few words at most: no line is to be read over and over.
_NEXT_HEAD = re.compile(r"[ \t]*+([A-Za-z][\w+#.-]{0,20}+)[^\n]{0,200}+\n")
_HEAD = re.compile(r"[ \t]*([A-Za-z][\w+#.-]*)?([^\n]*)(\n?)")
_CYPHER = frozenset({"cypher", "neo4j", "cql", "opencypher", "gql"})
_OTHER = frozenset(
    {"bash", "console", "csv", "dot", "gremlin", "graphql", "html", "java", "javascript", "js"}
    | {"json", "jsonl", "latex", "markdown", "md", "mermaid", "plaintext", "python", "py", "r", "sh"}
    | {"shell", "smiles", "sparql", "sql", "table", "text", "toml", "ts", "txt", "typescript", "xml"}
    | {"yaml", "yml"}
)
_KNOWN = _CYPHER | _OTHER


class Block(NamedTuple):
    """A fenced block: the span between the fences without the language tag, and the span with the fences.

    Attributes:
        cypher: Whether it is tagged as Cypher or not tagged with another known language.
        closed: Whether its fence is closed.
    """

    body: Span
    span: Span
    cypher: bool
    closed: bool


def fenced_blocks(completion: str, region: Span) -> list[Block]:
    """Return the blocks between backtick or tilde fences in a region, in order.

    A fence that is never closed runs to the end of the region, or to the next fence with a language tag.
    """
    blocks: list[Block] = []
    position = region.start
    while opening := _FENCE.search(completion, position, region.stop):
        run = opening[0].lstrip(" \t>")
        runs = _RUN.finditer(completion, opening.end(), region.stop)
        closing = next((each for each in runs if each[0].startswith(run)), None)
        stop = closing.start() if closing else region.stop
        tag, start = _head(completion, opening.end(), stop)
        reopened = closing is not None and _opens_another(completion, closing.end(), region.stop)
        closed = closing is not None and not reopened
        end = closing.end() if closing and closed else stop
        blocks.append(Block(Span(start, stop), Span(opening.start(), end), tag not in _OTHER, closed))
        position = end
    return blocks


def _head(completion: str, start: int, stop: int) -> tuple[str, int]:
    """Return the language tag after an opening fence, and where the block's text begins."""
    head = _HEAD.match(completion, start, stop)
    if head is None or head[1] is None:
        return "", start
    word, rest = head[1].lower(), head[2].strip()
    known = word in _KNOWN
    if word.upper() in STARTERS and not known:
        return "", start
    if head[3] and (not rest or (known and rest.split()[0].upper() not in STARTERS)):
        return word, head.end()
    return (word, head.end(1)) if known else ("", start)


def _opens_another(completion: str, after: int, stop: int) -> bool:
    """Tell whether a fence that could close a block is the opening of the next."""
    head = _NEXT_HEAD.match(completion, after, stop)
    return head is not None and head[1].lower() in _KNOWN


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


# Characters to parse and to split into words for one completion: many times a long query, and about a second
# of the worst text there is.
_TO_PARSE = 10_000
_TO_READ = 50_000
# What a piece costs beside its characters, so that many small ones come to an end too.
_EACH = 50
LONGEST = 5_000


class Standing(IntEnum):
    """How much of a query a text is."""

    NONE = 0
    FRAGMENT = 1
    BROKEN = 2
    WHOLE = 3


class GrammarReader:
    """Reads pieces of one completion with the grammar.

    A text too long for what is left of the budget counts as not accepted, and as nothing once no words may be
    read, so that no completion, however hostile, holds up a run. The budget is in characters, so the verdict
    is the same on every machine.
    """

    def __init__(self) -> None:
        self._to_parse = _TO_PARSE
        self._to_read = _TO_READ
        self._errors: dict[str, int | None] = {}

    def standing(self, text: str) -> Standing:
        """Tell what a text is.

        A whole query is accepted by the grammar and has a RETURN that is not its beginning; a broken one has
        the RETURN but is not accepted; a fragment merely begins with a clause.
        """
        if self.spent:
            return Standing.NONE
        beginning = text[:LONGEST]
        self._to_read -= _cost(beginning)
        read = tokens(beginning)
        words = [token.text.upper() for token in read if token.kind is not TokenKind.STRING]
        if not words or words[0] not in STARTERS:
            return Standing.NONE
        if words[0] == "RETURN" or "RETURN" not in words:
            return Standing.FRAGMENT
        return Standing.WHOLE if self.accepted(text) else Standing.BROKEN

    @property
    def spent(self) -> bool:
        """Whether no more of the completion is to be read."""
        return self._to_read <= 0

    def accepted(self, text: str) -> bool:
        """Tell whether the grammar accepts a text."""
        return self.first_error(text) is None

    def first_error(self, text: str) -> int | None:
        """Return the offset at which the grammar gives up on a text; None where it accepts it."""
        if len(text) > LONGEST:
            return 0
        if text not in self._errors:
            if (cost := _cost(text)) > self._to_parse:
                return 0
            self._to_parse -= cost
            self._errors[text] = min((error.offset for error in parse(text).errors), default=None)
        return self._errors[text]


def _cost(text: str) -> int:
    return _EACH + len(text)
