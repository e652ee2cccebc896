"""An answer cut into molecules, numbers and the words that matter."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from retrocypher.kg.claims.claim import Predicate
from retrocypher.kg.claims.words import MARK, Verb, Words, load_words
from retrocypher.kg.graph.molecules import Mention, canonical_name, find_molecules, is_doubtful
from retrocypher.kg.graph.names import load_names

LONGEST = 100_000
"""Characters of an answer that are read."""
_LONGEST_NUMBER = 15

Kind = Literal[
    "molecule", "reaction", "yield", "number", "percent", "arrow", "back", "noun", "verb", "word", "mark"
]

_NAMED_ID = re.compile(
    r"(?:(?:rxn|reaction|id)_?(?=\d{1,9}\Z)|R_?(?=\d{3,9}\Z))(?P<number>\d+)", re.IGNORECASE
)
_ENDS_IN_NUMBER = re.compile(r"[A-Za-z]{2,12}_?\d{2,9}")
_NAMED_LABEL = re.compile(r"R_?(?P<number>\d{1,2})", re.IGNORECASE)
_DECIMAL_COMMA = re.compile(r"\d{1,3},\d{1,2}")
_PERCENT = ("%", "percent", "per cent", "pct")


@dataclass(frozen=True, slots=True)
class Token:
    """A part of an answer; the text of a molecule is its canonical name.

    Punctuation is of the kind ``mark``; words of no meaning here are ``word`` without roles. ``role`` is what
    a noun speaks of, ``kinds`` the lists of ``words.yaml`` that the word is in.
    """

    kind: Kind
    text: str
    start: int
    stop: int
    value: float | None = None
    role: Predicate | None = None
    verb: Verb | None = None
    kinds: frozenset[str] = frozenset()

    @property
    def whole(self) -> int | None:
        """The number as an integer, None where it is none."""
        return int(self.value) if self.value is not None and self.value == int(self.value) else None


def tokens_of(plain: str, start: int, stop: int, names: dict[int, str]) -> list[Token]:
    """Cut one sentence of a `masked` answer; ``names`` are those of molecules by where they begin."""
    return list(_cut(plain, start, stop, names, load_words()))


def _cut(plain: str, start: int, stop: int, names: dict[int, str], words: Words) -> Iterator[Token]:
    for match in words.pattern.finditer(plain, start, stop):
        kind, text = match.lastgroup, match.group()
        at, end = match.span()
        if kind == "molecule":
            yield Token("molecule", names.get(at, ""), at, end)
        elif kind == "number" and len(text) > _LONGEST_NUMBER:
            yield Token("word", text, at, end)
        elif kind == "number":
            rest = plain[end : min(end + 9, stop)].lstrip()
            value = float(text.replace(",", "." if _DECIMAL_COMMA.fullmatch(text) else ""))
            percent = rest.lstrip("-").lower().startswith(_PERCENT)
            yield Token("percent" if percent else "number", text, at, end, value=value)
        elif kind in ("arrow", "back"):
            yield Token("arrow" if kind == "arrow" else "back", text, at, end)
        elif kind == "words" and text == "NO":
            # Hydroxylamine, or the word.
            yield Token("word", text, at, end, kinds=frozenset({"stray"}))
        elif kind in ("words", "named"):
            yield _word(text, at, end, words)
        elif kind == "ordinal":
            yield Token("word", text, at, end, kinds=frozenset({"relations"}))
        elif kind == "other" and (named := _NAMED_ID.fullmatch(text)):
            yield Token("reaction", text, at, end, value=float(named["number"]))
        elif kind == "other" and (named := _NAMED_LABEL.fullmatch(text)):
            yield Token("number", text, at, end, value=float(named["number"]))
        elif kind == "stray" or (kind == "other" and _ENDS_IN_NUMBER.fullmatch(text)):
            yield Token("word", text, at, end, kinds=frozenset({"stray"}))
        elif kind == "other":
            denied = text.lower().endswith(("n't", "n\u2019t"))
            yield Token("word", text, at, end, kinds=frozenset({"negations"} if denied else ()))
        elif kind in ("mark", "locant"):
            yield Token("mark", text, at, end)


def _word(text: str, at: int, end: int, words: Words) -> Token:
    kinds = frozenset(kind for kind, pattern in words.kinds.items() if pattern.fullmatch(text))
    for verb, pattern in words.verbs:
        if pattern.fullmatch(text):
            return Token("verb", text, at, end, verb=verb, kinds=kinds)
    for role, pattern in words.nouns:
        if pattern.fullmatch(text):
            return Token("noun", text, at, end, role=role, kinds=kinds)
    return Token("word", text, at, end, kinds=kinds)


def name_of(smiles: str) -> str | None:
    """Return the canonical name of a molecule; a backslash may be doubled, as in JSON."""
    return canonical_name(smiles) or canonical_name(smiles.replace("\\\\", "\\"))


def fragments(text: str, mention: Mention) -> list[Mention]:
    """Return the molecules of one side of ``A.B>>C``; nothing elsewhere, where ``A.B`` may be a salt."""
    if not (text.startswith(">>", mention.stop) or text.endswith(">>", 0, mention.start)):
        return []
    return _side(mention.smiles, mention.start)


_BEFORE_DOUBLE = re.compile(r"(?:[CN]|\[[CN]\w*\])\d*(?:\([^()]*\))*=")
_BEHIND_DOUBLE = re.compile(r"=(?:[CN]|\[[CN]\w*\])\d*\Z")


def _alternatives(mention: Mention) -> list[Mention]:
    """Return the molecules of a list such as ``CCO/O``; none where a slash may tell how a bond is turned."""
    parts = mention.smiles.split("/")
    turned = any(_BEFORE_DOUBLE.match(each) or _BEHIND_DOUBLE.search(each) for each in parts)
    if len(parts) == 1 or turned or "/" in (name_of(mention.smiles) or ""):
        return []
    return _side(mention.smiles, mention.start, "/")


def _side(side: str, start: int, mark: str = ".") -> list[Mention]:
    found: list[Mention] = []
    at = start
    for part in side.split(mark):
        name = name_of(part) if part else None
        if name is None:
            return []
        found.append(Mention(name, at, at + len(part)))
        at += len(part) + 1
    return found


MOST_MOLECULES = 2_000
"""Molecules of an answer that are read."""

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


def mentions_in(text: str) -> list[Mention]:
    """Return the molecules of an answer by canonical name."""
    written = _without_words(text, find_molecules(_unquoted(text), MOST_MOLECULES, doubtful=True))
    found: list[Mention] = []
    for mention in written:
        apart = fragments(text, mention) or _alternatives(mention)
        name = name_of(mention.smiles)
        if len(apart) > 1:
            found.extend(apart)
        elif name is not None:
            found.append(Mention(name, mention.start, mention.stop))
    return found


def _unquoted(text: str) -> str:
    """The text with blanks for quotes and the lines of tables, which may stand right beside a SMILES."""
    return _QUOTE.sub(" ", text)


def _without_words(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Leave out words such as ``NO`` or ``I``, unless they stand in a list of molecules or in quotes."""
    sure = [mention for mention in mentions if not is_doubtful(mention.smiles)]
    starts, stops = {mention.start for mention in sure}, {mention.stop for mention in sure}
    found: list[Mention] = []
    for mention in mentions:
        if mention.smiles in load_names().molecules:
            # "NBS" is a SMILES, too.
            continue
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


def unreadable_in(plain: str) -> list[str]:
    """Return the words that look like SMILES but are none; a person would take them for molecules."""
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
