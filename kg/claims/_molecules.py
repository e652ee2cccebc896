"""The molecules of an answer, and what only looks like one."""

import re
from collections.abc import Sequence

from kg.claims._reaction_smiles import fragments, name_of, whole_reactions
from kg.claims._words import MARK
from kg.molecules import Mention, find_molecules, is_doubtful

MOST_MOLECULES = 2_000
"""Molecules of an answer that are read."""

_LABEL = re.compile(
    r"\b(?:route|path|pathway|option|method|scheme|part|type|figure|vitamin|section|step|entry|table) $",
    re.IGNORECASE,
)
_DEGREES = re.compile(r"(?:\d|°) ?$")
_LIST_AFTER = re.compile(r"[`\"]?(?:[ \t]*[,+/&;][ \t]*|[ \t]+(?:and|or)[ \t]+)[`\"]?")
_LIST_BEFORE = re.compile(
    r"(?:[`\"*]*(?:[ \t]*[,+/&;:|\u2192>][ \t`\"*]*|[ \t]+(?:and|or)[ \t]+[`\"*]{0,3})|[(`\"]|\*{1,3})$"
)
_END = re.compile(
    r"[`\"*]{0,3}[ \t]*(?:[,.;()|+\n→\]]|$)"
    r"|[ \t]+(?:and|or|into|to|in|with|as|by|from|gives?|reacts?|is|are|was|were)\b"
)
_APART = re.compile(r"[\s,;|\"'`:]+")
_MOLECULE_LIKE = re.compile(r"[A-Za-z0-9@+\-\[\]()=#$/\\%.*~>]{6,2000}")
_BONDED = re.compile(
    r"[A-Za-z)\]]\d?[=#][A-Z(\[]|\[[A-Za-z]{1,2}[@H+\-\]]|[Cc]\d[A-Za-z(]*[Cc]|\)[\(A-Z]\w*[\(\[=]"
)
_QUOTE = re.compile("[|\"`\u201c\u201d\u00ab\u00bb]|(?<!\\w)['\u2018]|['\u2019](?![\\w-])")
_LONE = re.compile(r"[A-Z]")
_JOINED_AFTER = re.compile(r"[,'\u2019\-\u2013]\w")
_JOINED_BEFORE = re.compile(r"\w[,'\u2019\-\u2013]$")


def mentions_in(text: str) -> list[Mention]:
    """Return the molecules of an answer by their canonical names, without letters of the language.

    Args:
        text: The answer, its whole reactions `separated`.
    """
    written = _without_words(text, find_molecules(_unquoted(text), MOST_MOLECULES, doubtful=True))
    edges = {edge for mention in written for edge in (mention.start, mention.stop)}
    found: list[Mention] = []
    for mention in written:
        apart = fragments(text, mention)
        name = name_of(mention.smiles)
        if len(apart) > 1:
            found.extend(apart)
        elif name is not None and not _is_letter(text, mention, edges):
            found.append(Mention(name, mention.start, mention.stop))
    whole = whole_reactions(text)
    return sorted((*found, *whole), key=lambda mention: mention.start)[:MOST_MOLECULES] if whole else found


def _unquoted(text: str) -> str:
    """The text with blanks for quotes and the lines of tables, which may stand right beside a SMILES."""
    return _QUOTE.sub(" ", text)


def _without_words(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Leave out words such as ``NO`` or ``I``, unless they stand in a list of molecules or in quotes."""
    sure = [mention for mention in mentions if not is_doubtful(mention.smiles)]
    starts, stops = {mention.start for mention in sure}, {mention.stop for mention in sure}
    found: list[Mention] = []
    for mention in mentions:
        if is_doubtful(mention.smiles):
            after = _LIST_AFTER.match(text, mention.stop)
            before = _LIST_BEFORE.search(text[max(0, mention.start - 8) : mention.start])
            begins = mention.start - len(before[0]) if before else -1
            listed = (after is not None and after.end() in starts) or (
                before is not None
                and (begins in stops or before[0].strip(' \t`"*') in ("", ":", "|", "("))
                and _END.match(text, mention.stop) is not None
            )
            if not listed:
                continue
        found.append(mention)
    return found


def _is_letter(text: str, mention: Mention, edges: set[int]) -> bool:
    """Whether it is a letter of the language: a temperature, a label, part of a name such as N,N-dimethyl."""
    if not _LONE.fullmatch(mention.smiles):
        return False
    before, after = text[max(0, mention.start - 12) : mention.start], text[mention.stop : mention.stop + 2]
    if _LABEL.search(before) or (mention.smiles in "CFK" and _DEGREES.search(before)):
        return True
    joined_after = _JOINED_AFTER.match(after) and mention.stop + 1 not in edges
    joined_before = _JOINED_BEFORE.search(before) and mention.start - 1 not in edges
    return bool(joined_after or joined_before)


def unreadable_in(plain: str) -> list[str]:
    """Return the words that look like SMILES but are none; a person would take them for molecules.

    Args:
        plain: The answer, its molecules masked.
    """
    words = (word.strip("*_()[]{}") for word in _APART.split(plain) if MARK not in word)
    return [word for word in words if _MOLECULE_LIKE.fullmatch(word) and _BONDED.search(word)]


def masked(text: str, mentions: Sequence[Mention]) -> str:
    """Return the text with molecules replaced by marks, of the same length."""
    parts: list[str] = []
    position = 0
    for mention in mentions:
        between = text[position : mention.start]
        # The dot of "A.B" joins them, and ends no sentence.
        parts += ["+" if position and between == "." else between, MARK * (mention.stop - mention.start)]
        position = mention.stop
    return "".join([*parts, text[position:]])
