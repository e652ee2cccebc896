"""The sentences of an answer, by the blocks that a Markdown parser finds."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token as Block

from retrocypher.kg.claims.tokens import (
    LONGEST,
    MARK,
    MOST_MOLECULES,
    Token,
    load_words,
    masked,
    mentions_in,
    tokens_of,
    unreadable_in,
)

# Not behind "no." and a number.
_END = re.compile(
    r"(?!(?:(?<=\b[Nn]o)|(?<=\b[Nn]os))\.\s+\d)"
    rf"[.!?][)\]\"'*`_]*[ \t\n]+(?=[\"'(\[*`_#]*[A-Z\d{MARK}])"
)
# A label in front of a sentence, "2." or "a.", and words that are cut short.
_OPENS = re.compile(
    r"(?:^|\n|[.!?:;]\s)[\s#*_(\[]*(?:\d{1,2}[a-z]?|[a-z])\Z|\b(?:e\.g|i\.e|cf|vs|approx|incl|resp|nr|rxn)\Z",
    re.IGNORECASE,
)
_LONGEST_LABEL = 12
_NEW_LINE = re.compile(
    rf"\n(?=[ \t]*(?:[*`_\"'(\[{{#]*[A-Z\d{MARK}]|[-\u2013\u2022]|[\w ]{{1,30}}:|[a-z]+[ #]*\d))"
    r"|(?<=[.:;!?])\n"
)
_BREAK = re.compile(r"<br ?/?>|</?(?:p|div|li|tr|h[1-6])>", re.IGNORECASE)
_FORMAT = re.compile(r"</?(?:b|i|em|strong|code|su[bp]|span|u|ul|ol|small|mark|pre)>", re.IGNORECASE)
_NODE = r"\{\s*[\"']id[\"']\s*:\s*\d{1,9}\s*\}"
_NODES = re.compile(rf"\[\s*{_NODE}(?:\s*,\s*{_NODE})*\s*\]")
"""A route as the rows that an answer is written from show it: ``[{"id": 12}, {"id": 13}]``."""
_CITATION = re.compile(
    r"[ \t]*\[(?:row|passage)s? \d{1,6}(?:(?:,| and|;)? ?(?:(?:row|passage)s? )?\d{1,6})*\]", re.IGNORECASE
)
_NOT_IDS = re.compile(r"[^\d,\[\]\s]")
_JSON = re.compile(r"\s*[\[{]\s*[\"{\[\]}]")
_OF_LABELS = frozenset(("determiners", "lists", "reactions", "routes", "yield_words", "of", "counters"))
_LEAST_ID = 100
"""From here on, a number in a column that counts the rows is an id."""


@dataclass(frozen=True, slots=True)
class Cited:
    """What a citation such as ``[row 3]`` names: a row or a passage, by its number from 1."""

    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, a heading, an item of a list, or a row of a table with its headings.

    Attributes:
        number: Its place in the answer, from 1.
        text: Its text without citations; a row is ``heading: cell`` for each column, with ``|`` between them.
        tokens: Its molecules, numbers and words.
        kind: ``heading``, ``item`` or ``numbered`` for the first sentence of an item, ``row``, or ``text``.
        depth: How deep it stands in lists.
        paragraph: Number of the block that it stands in.
        unreadable: Words that look like SMILES and are none.
        citations: What it cites, such as ``[row 3]`` or ``[row 3, passage 1]``.
    """

    number: int
    text: str
    tokens: tuple[Token, ...]
    kind: str
    depth: int
    paragraph: int
    unreadable: tuple[str, ...] = ()
    citations: tuple[Cited, ...] = ()

    @property
    def introduces(self) -> bool:
        """Whether it is a heading, ends with a colon, speaks of what follows, or only names roles."""
        last = next((each.text for each in reversed(self.tokens) if each.text not in "*_`\"'"), "")
        announces = any("introductions" in each.kinds for each in self.tokens)
        bold = self.text.startswith("**") and self.text.endswith("**") and "**" not in self.text[2:-2]
        return self.kind == "heading" or bold or last == ":" or announces or self._is_label

    @property
    def _is_label(self) -> bool:
        """Whether it is words such as ``the solvents`` or the first line of a table in CSV."""
        return all(each.kind in ("noun", "mark") or each.kinds & _OF_LABELS for each in self.tokens)

    @property
    def is_fragment(self) -> bool:
        """Whether it is a line that goes on in the next one."""
        return self.kind == "text" and self.tokens[-1].kind != "mark"

    @property
    def is_list(self) -> bool:
        """Whether it only names reactions or molecules, such as ``Reaction 12.`` above what is said of it."""
        kinds = {"number", "reaction", "molecule", "mark"}
        return all(each.kind in kinds or each.kinds & {"reactions", "lists"} for each in self.tokens)

    @property
    def asks(self) -> bool:
        """Whether it repeats what was asked."""
        marks = [each for each in self.tokens if each.text not in "*_`\"'#"]
        return bool(marks) and (marks[-1].text == "?" or "asks" in marks[0].kinds)


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of an answer, and whether these are all: a very long answer is read in part."""

    all: tuple[Sentence, ...]
    whole: bool = True

    def shown(self) -> str:
        """Return the sentences, numbered, a line each."""
        return "\n".join(f"[{each.number}] {'  ' * each.depth}{each.text}" for each in self.all)


@cache
def _parser() -> MarkdownIt:
    # Only blocks are of use: brackets and backslashes within a line belong to SMILES.
    return MarkdownIt("commonmark").enable("table").disable(["code", "reference", "html_block", "inline"])


def sentences_of(text: str) -> Sentences:
    """Split an answer; after 100,000 characters or 2,000 molecules the rest is left out."""
    whole = len(text) <= LONGEST
    text = "".join(each if each.isprintable() or each in "\n\t" else " " for each in text[:LONGEST])
    text = "\n".join(_BREAK.sub(", " if "|" in line else "\n", line) for line in text.split("\n"))
    text = _NODES.sub(lambda found: _NOT_IDS.sub("", found[0]), _FORMAT.sub("", text))
    found: list[Sentence] = []
    molecules = 0
    for paragraph, (kind, depth, content) in enumerate(_blocks(_parser().parse(text))):
        for piece, tokens, unreadable, citations in _pieces(content, kind):
            molecules += sum(each.kind == "molecule" for each in tokens)
            if molecules >= MOST_MOLECULES:
                return Sentences(tuple(found), False)
            number = len(found) + 1
            found.append(
                Sentence(number, piece, tokens, kind, depth, paragraph, unreadable, tuple(citations))
            )
            kind = kind if kind == "row" else "text"
    return Sentences(tuple(found), whole)


def _blocks(tokens: Sequence[Block]) -> Iterator[tuple[str, int, str]]:
    """Yield kind, depth and text of each block."""
    depth, kind, label, in_table = 0, "text", "", False
    expected: list[int] = []
    titles: list[str] = []
    cells: list[str] = []
    for token in tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
            expected.append(1)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
            expected.pop()
        elif token.type == "list_item_open":
            kind = "numbered" if token.info else "item"
            number = int(token.info) if token.info.isdecimal() and len(token.info) < 10 else expected[-1]
            # A number that does not count the items is an id.
            label = "" if number == expected[-1] else f"{number}: "
            expected[-1] += 1
        elif token.type == "heading_open":
            kind = "heading"
        elif token.type in ("table_open", "table_close"):
            in_table, titles = token.type == "table_open", []
        elif token.type == "tr_close":
            if titles:
                yield "row", depth, _row(titles, cells)
            titles, cells = titles or cells, []
        elif token.type == "inline" and in_table:
            cells.append(token.content)
        elif token.type in ("fence", "inline"):
            yield kind, depth, label + token.content
            kind, label = "text", ""


def _row(titles: Sequence[str], cells: Sequence[str]) -> str:
    """A row in words; the number of a row is left out."""
    shown = [
        f"{title}: {cell}" if title else cell
        for title, cell in zip(titles, cells, strict=False)
        if cell.strip() and not _is_running(title, cell)
    ]
    return " | ".join(shown)


def _is_running(title: str, cell: str) -> bool:
    bare = title.strip(" *_`#.")
    number = cell.strip(" *_`.")
    counts = not bare or load_words().kinds["running"].fullmatch(bare) is not None
    return counts and number.isdecimal() and len(number) < len(str(_LEAST_ID))


def _pieces(
    content: str, kind: str
) -> Iterator[tuple[str, tuple[Token, ...], tuple[str, ...], Iterator[Cited]]]:
    """Yield the sentences of a block: text, tokens, words that look like SMILES and are none, citations."""
    # Blanks in their place, so that they are read for no claim.
    bare = _CITATION.sub(lambda found: " " * len(found[0]), content)
    mentions = mentions_in(bare)
    names = {each.start: each.smiles for each in mentions}
    plain = masked(bare, mentions)
    ends = [] if kind == "row" or _JSON.match(bare) else sorted(_ends(plain))
    start = 0
    for stop in (*ends, len(plain)):
        tokens = tuple(tokens_of(plain, start, stop, names))
        if any(each.kind != "mark" for each in tokens):
            unreadable = tuple(dict.fromkeys(unreadable_in(plain[start:stop])))
            shown = _CITATION.sub("", content[start:stop])
            yield " ".join(shown.split()), tokens, unreadable, _citations(content[start:stop])
            start = stop


def _citations(text: str) -> Iterator[Cited]:
    for found in _CITATION.findall(text):
        kind = ""
        for named, number in re.findall(r"(row|passage)?s? ?(\d+)", found.lower()):
            kind = named or kind
            yield Cited(kind, int(number))


def _ends(plain: str) -> set[int]:
    """Where sentences end: at a full stop, or at a line break that is more than a wrapped line."""
    stops = {
        match.end()
        for match in _END.finditer(plain)
        if not _OPENS.search(plain, max(0, match.start() - _LONGEST_LABEL), match.start())
    }
    return stops | {match.end() for match in _NEW_LINE.finditer(plain)}
