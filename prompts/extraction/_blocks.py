"""Fenced blocks in an answer."""

import re
from typing import NamedTuple

from prompts.extraction._judge import STARTERS
from prompts.extraction._regions import Span

_FENCE = re.compile(r"`{3,}|^[ \t>]*~{3,}", re.MULTILINE)
_RUN = re.compile(r"`{3,}|~{3,}")
# What follows the tag that opens a block is a few words at most: no line is to be read over and over.
_NEXT_HEAD = re.compile(r"[ \t]*+([A-Za-z][\w+#.-]{0,20}+)[^\n]{0,200}+\n")
_HEAD = re.compile(r"[ \t]*([A-Za-z][\w+#.-]*)?([^\n]*)(\n?)")
_CYPHER = frozenset({"cypher", "neo4j", "cql", "opencypher", "gql"})
_OTHER = frozenset(
    {
        "bash",
        "console",
        "csv",
        "dot",
        "gremlin",
        "graphql",
        "html",
        "java",
        "javascript",
        "js",
        "json",
        "jsonl",
    }
    | {
        "latex",
        "markdown",
        "md",
        "mermaid",
        "plaintext",
        "python",
        "py",
        "r",
        "sh",
        "shell",
        "smiles",
        "sparql",
    }
    | {"sql", "table", "text", "toml", "ts", "txt", "typescript", "xml", "yaml", "yml"}
)
_KNOWN = _CYPHER | _OTHER


class Block(NamedTuple):
    """A fenced block.

    Attributes:
        body: Span between the fences, the language tag left out.
        span: Span with the fences.
        cypher: Whether it is tagged as Cypher or not tagged with another known language.
        closed: Whether its fence is closed.
    """

    body: Span
    span: Span
    cypher: bool
    closed: bool


def fenced_blocks(answer: str, region: Span) -> list[Block]:
    """Return the blocks between backtick or tilde fences in a region, in order.

    A fence that is never closed runs to the end of the region, or to the next fence with a language tag.
    """
    blocks: list[Block] = []
    position = region.start
    while opening := _FENCE.search(answer, position, region.stop):
        run = opening[0].lstrip(" \t>")
        runs = _RUN.finditer(answer, opening.end(), region.stop)
        closing = next((each for each in runs if each[0].startswith(run)), None)
        stop = closing.start() if closing else region.stop
        tag, start = _head(answer, opening.end(), stop)
        reopened = closing is not None and _opens_another(answer, closing.end(), region.stop)
        closed = closing is not None and not reopened
        end = closing.end() if closing and closed else stop
        blocks.append(Block(Span(start, stop), Span(opening.start(), end), tag not in _OTHER, closed))
        position = end
    return blocks


def _head(answer: str, start: int, stop: int) -> tuple[str, int]:
    """Return the language tag after an opening fence, and where the block's text begins."""
    head = _HEAD.match(answer, start, stop)
    if head is None or head[1] is None:
        return "", start
    word, rest = head[1].lower(), head[2].strip()
    known = word in _KNOWN
    if word.upper() in STARTERS and not known:
        return "", start
    if head[3] and (not rest or (known and rest.split()[0].upper() not in STARTERS)):
        return word, head.end()
    return (word, head.end(1)) if known else ("", start)


def _opens_another(answer: str, after: int, stop: int) -> bool:
    """Tell whether a fence that could close a block is the opening of the next."""
    head = _NEXT_HEAD.match(answer, after, stop)
    return head is not None and head[1].lower() in _KNOWN
