"""The layout of an answer: lines, tables, numbering, and where a route begins or continues."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from retrocypher.kg.claims.claim import Predicate
from retrocypher.kg.claims.numbers import classified
from retrocypher.kg.claims.scopes import Group, groups_in
from retrocypher.kg.claims.sentence import Part, Roles, SentenceRoles
from retrocypher.kg.claims.tokens import Token, tokens_of

_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_]*)([^<>\n]{0,300})>")
_FORMAT = re.compile(
    "a|abbr|article|b|big|body|center|code|col|dd|del|details|div|dl|dt|em|font|h[1-6r]|head|html|i|img|ins|kbd"
    "|li|mark|ol|p|pre|s|section|small|span|strong|su[bp]|summary|table|tbody|td|tfoot|th|thead|tr|tt|ul?|var"
)
"""Tags that say how a text looks; others, such as ``<reactant>``, may say what it is."""
_LINES = re.compile("dd|div|dt|h[1-6]|li|p|tr")
_CELLS = frozenset(("td", "th"))
_RULE = "\n|-|\n"
_LATEX = re.compile(
    r"\\(?:text\w{0,10}|math\w{0,10}|ce|emph|boxed|underline|mbox|section\*?|subsection\*?|paragraph\*?"
    r"|begin\{\w{1,20}\*?|end\{\w{1,20}\*?)\s?[{}]"
    r"|\\(?:item|quad|qquad|left|right|displaystyle|newline)\b|\\[,;:! ]|\\(?=%)|\$|(?<=[\w.)\]])\\\\(?=\s)"
)
_NODE = r"\{\s*[\"']id[\"']\s*:\s*\d{1,9}\s*\}"
_NODES = re.compile(rf"\[\s*{_NODE}(?:\s*,\s*{_NODE})*\s*\]")
"""A route as the rows that an answer is written from show it: ``[{"id": 12}, {"id": 13}]``."""
_NOT_IDS = re.compile(r"[^\d,\[\]\s]")
_TABLE_ENDS = "</table>"
_SPACE = "&nbsp;"


def plain_of(text: str) -> str:
    """Return an answer with blanks for tags of HTML and commands of LaTeX, of the same length.

    Lines and tables of HTML become lines and tables of Markdown. Of a tag that is none of HTML, such as
    ``<reactant>``, the name stays as a word, as do its attributes. In lists of nodes the ids alone stay.
    """
    text = _NODES.sub(lambda found: _NOT_IDS.sub(" ", found[0]), text)
    if "<" in text:
        text = "".join(_tables(text))
        text = "\n".join(_TAG.sub(_tag_in(line), line) for line in text.split("\n"))
    text = text.replace(_SPACE, " " * len(_SPACE))
    if "\\" in text or "$" in text:
        braces = any(found[0].endswith("{") for found in _LATEX.finditer(text))
        text = _LATEX.sub(lambda found: " " * len(found[0]), text)
        # What closes them; an answer is not JSON and LaTeX at once.
        text = text.replace("}", " ") if braces else text
    return text


def _tag_in(line: str) -> Callable[[re.Match[str]], str]:
    """Return what stands for a tag of a line; a line break within a row of a table is a comma."""
    row = "|" in line

    def plain(found: re.Match[str]) -> str:
        closes, name, rest = found[1], found[2], found[3]
        length = len(found[0])
        if name == "br":
            return ("," if row else "\n").ljust(length)
        if _FORMAT.fullmatch(name):
            return ("\n" if _LINES.fullmatch(name) and not row else " ").ljust(length)
        return " " * length if closes else f" {name}{rest.rstrip('/').ljust(len(rest))} "

    return plain


def _tables(text: str) -> Iterator[str]:
    """The text in parts, each table of HTML as one of Markdown."""
    position = 0
    while True:
        start = text.find("<table", position)
        ends = text.find(_TABLE_ENDS, start)
        if start < 0 or ends < 0:
            yield text[position:]
            return
        stop = ends + len(_TABLE_ENDS)
        yield text[position:start]
        yield _table(text[start:stop])
        position = stop


def _table(inside: str) -> str:
    """A table of HTML as one of Markdown, where its first row has headings."""
    parts: list[str] = []
    position = 0
    headed, heading = False, False
    for tag in _TAG.finditer(inside):
        parts.append(inside[position : tag.start()].replace("\n", " "))
        closes, name, length = tag[1], tag[2], len(tag[0])
        heading = heading or (name == "th" and not headed)
        if name in _CELLS and closes:
            parts.append("|".ljust(length))
        elif name == "tr" and closes and length == len(_RULE):
            parts.append(_RULE if heading else "\n".ljust(length))
            headed, heading = True, False
        elif _FORMAT.fullmatch(name):
            parts.append(" " * length)
        else:
            parts.append(tag[0])
        position = tag.end()
    return "".join([*parts, inside[position:].replace("\n", " ")])


_TABLE_RULE = frozenset("|:- \t")


class Cell(NamedTuple):
    """Where a cell stands in the answer."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the cells of its heading, and of each row."""

    heading: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


def table_at(lines: list[Cell], number: int, plain: str) -> tuple[Table, int] | None:
    """Return the table that begins at a line, and the number of the line after it; None where none does."""
    if number + 1 >= len(lines):
        return None
    heading, rule = (plain[start:stop] for start, stop in lines[number : number + 2])
    if "|" not in heading or "|" not in rule or "-" not in rule or not _TABLE_RULE.issuperset(rule):
        return None
    after = number + 2
    while after < len(lines) and "|" in plain[slice(*lines[after])]:
        after += 1
    rows = tuple(_cells(line, plain) for line in lines[number + 2 : after])
    return Table(_cells(lines[number], plain), rows), after


def _cells(line: Cell, plain: str) -> tuple[Cell, ...]:
    start, stop = line
    while start < stop and plain[start] in " \t|":
        if plain[start] == "|":
            start += 1
            break
        start += 1
    cells: list[Cell] = []
    position = start
    for place in range(start, stop):
        if plain[place] == "|":
            cells.append(Cell(position, place))
            position = place + 1
    if plain[position:stop].strip():
        cells.append(Cell(position, stop))
    return tuple(cells)


_ROUTE = re.compile(
    r"[*_`#]*(?:(?:one|another|an?|first|second|third|the (?:first|second|third|other|next|last))\s)?"
    r"(?:way|route|chain|path|pathway|option|sequence)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[*_`]*(?:step|reaction step)[ \t]*(\d{1,2})\b", re.IGNORECASE)
_ORDINAL = re.compile(r"[*_`]*(first|second|third|fourth|fifth|sixth)(?:ly)?[,:]", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
BULLET = re.compile(r"[ \t]*(?:(?:[-*+•]|(?P<number>\d{1,3})[.)]|#{1,6}|>)[ \t]+)*")
"""What stands before an item of a list."""
_NUMBERED = re.compile(r"[ \t]*(?:\d{1,3}[.)]|#\d{1,3}[:.]?|\(\d{1,3}\))[ \t]")


def is_numbered(plain: str, start: int) -> bool:
    """Whether a line begins with its number."""
    return _NUMBERED.match(plain, start) is not None


def names_route(plain: str, start: int) -> bool:
    """Whether a sentence begins with what it calls a route: ``Route 2: ...``, ``Another way begins ...``."""
    return _ROUTE.match(plain, start) is not None


def step_label(plain: str, start: int) -> int | None:
    """Return the number of the step that a sentence begins with, as in ``Step 2: ...``."""
    found = _LABEL.match(plain, start)
    return int(found[1]) if found else None


def ordinal_of(plain: str, start: int) -> int | None:
    """Return the number of the step that a sentence begins with, as in ``Second, reaction 12 ...``."""
    found = _ORDINAL.match(plain, start)
    return _ORDINALS.index(found[1].lower()) + 1 if found else None


def has(tokens: list[Token], text: str) -> bool:
    """Whether one of the tokens is a text."""
    return any(token.text == text for token in tokens)


def without_asides(tokens: list[Token]) -> list[Token]:
    """Return a sentence without ``unlike reactions 12 and 13,``, which says nothing of them."""
    begins = next((place for place, token in enumerate(tokens) if token.text.lower() == "unlike"), None)
    if begins is None:
        return tokens
    for place in range(begins + 1, len(tokens)):
        token, after = tokens[place], tokens[place + 1 : place + 2]
        if token.text == "," and after and after[0].kind not in ("reaction", "number"):
            return [*tokens[:begins], *tokens[place + 1 :]]
        if token.kind not in ("reaction", "mark") and not token.kinds & {"reactions", "lists", "determiners"}:
            return tokens
    return tokens


def is_list_of_ids(tokens: list[Token]) -> bool:
    """Whether there is a list such as ``"route": [1404]``, which is no reference such as ``[13]``."""
    return any(
        token.text == "[" and after.kind == "reaction" and (place == 0 or tokens[place - 1].text in ":=[,(")
        for place, (token, after) in enumerate(pairwise(tokens))
    )


def is_one_route(tokens: list[Token]) -> bool:
    """Whether a sentence is the list of one route: ``Route 1: reactions 1400, 1404 and 1500``."""
    said = [token for token in tokens if token.kind != "mark"]
    if len(said) < 4 or "routes" not in said[0].kinds or said[0].text.lower().endswith("s"):
        return False
    labelled = said[1].kind == "number" or len(said[1].text) == 1
    return labelled and all(
        token.kind == "reaction"
        or "reactions" in token.kinds
        or ("lists" in token.kinds and token.text.lower() != "or")
        for token in said[2:]
    )


def respective(part: Part, told: SentenceRoles, group: Group, tokens: list[Token]) -> list[int]:
    """The reactions of a group that a molecule belongs to: each its own where the sentence says so."""
    if len(group.ids) > 1 and any(token.text.lower() == "respectively" for token in tokens):
        peers = [each for each in told.parts if each.group == part.group]
        if len(peers) == len(group.ids):
            return [group.ids[peers.index(part)]]
    return group.ids


def lines_of(plain: str) -> list[Cell]:
    """Return where the lines of an answer stand."""
    found: list[Cell] = []
    position = 0
    for line in plain.split("\n"):
        found.append(Cell(position, position + len(line)))
        position += len(line) + 1
    return found


_COUNTING = frozenset(("counters", "counts", "dated", "ordinals"))
_RUNNING = frozenset(("#", "no", "no .", "nr", "nr ."))
"""Headings of a column that numbers the rows."""
_HEADINGS: Mapping[str, Predicate] = {"to": "PRODUCES", "in": "REACTS_IN", "out": "PRODUCES"}


def read_row(
    titles: Sequence[list[Token]], row: tuple[Cell, ...], plain: str, names: dict[int, str]
) -> tuple[list[Token], SentenceRoles, list[Group], bool, int | None] | None:
    """Return tokens, molecules with their roles, and reactions of a row, whether it is a route, and its step.

    None where the heading (``titles``) says nothing. ``names`` are those of molecules by where they begin.
    """
    tokens: list[Token] = []
    told = SentenceRoles()
    understood = False
    route = False
    step: int | None = None
    for title, cell in zip(titles, row, strict=False):
        kinds = {kind for token in title for kind in token.kinds}
        role = next((token.role for token in title if token.kind == "noun"), None)
        role = role or next((token.verb.after for token in title if token.verb is not None), None)
        role = role or _HEADINGS.get(_texts(title))
        understood = understood or role is not None or bool(kinds & {"reactions", "routes", "yield_words"})
        route = route or "routes" in kinds
        contents = tokens_of(plain, *cell, names)
        if _is_steps(title):
            numbers = [token.whole for token in contents if token.kind == "number"]
            step = numbers[0] if len(numbers) == 1 else None
        # The one number of a column for routes is that of the route.
        counted = "routes" in kinds and sum(token.kind == "number" for token in contents) == 1
        listing = bool(kinds & {"reactions", "routes"}) and not counted
        if not counted:
            contents = classified(contents, listing=listing, labels=False)
        by_words = {part.place: part for part in Roles(contents).read().parts} if role is None else {}
        for place, token in enumerate(contents):
            if token.kind in ("number", "percent", "reaction", "yield"):
                token = _as_column(token, title)
            if token.kind == "molecule":
                part = by_words.get(place) or Part(token, role, 0, 0)
                part.place = len(tokens)
                told.parts.append(part)
            tokens.append(token)
    if not understood:
        return None
    return tokens, told, groups_in(tokens, as_route=route), route, step


def _is_steps(title: Sequence[Token]) -> bool:
    """Whether a column counts the steps of a route."""
    words = [token.text.lower() for token in title if token.kind != "mark"]
    return words in (["step"], ["step", "no"], ["step", "number"])


def _as_column(token: Token, title: Sequence[Token]) -> Token:
    """A number as what its column holds; one of a column that counts is a word like others."""
    kinds = {kind for each in title for kind in each.kinds}
    if "yield_words" in kinds:
        percents = any(each.text == "%" for each in title)
        return replace(token, kind="yield", kinds=token.kinds | {"percents"} if percents else token.kinds)
    if token.kind == "number" and kinds & {"reactions"} and token.whole is not None:
        return replace(token, kind="reaction")
    if token.kind == "number" and (kinds & _COUNTING or _texts(title) in _RUNNING):
        return replace(token, kind="word")
    return token


def _texts(title: Sequence[Token]) -> str:
    return " ".join(each.text.lower() for each in title if each.text not in "*_`")
