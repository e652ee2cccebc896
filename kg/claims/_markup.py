"""Markup of an answer made plain, in place: each character stays where it is."""

import re
from collections.abc import Callable, Iterator

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
    ``<reactant>``, the name stays as a word, as do its attributes.

    In lists of nodes the ids alone stay.

    Args:
        text: The answer.
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
