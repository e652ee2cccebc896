"""An answer cut into molecules, numbers and the words that matter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kg.claims._model import Predicate
from kg.claims._words import Verb, Words, load_words

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
    """A part of an answer.

    Attributes:
        kind: What it is; punctuation is ``mark``, words of no meaning here are ``word`` without roles.
        text: As it stands there; for a molecule, its canonical name.
        start: Offset in the answer.
        stop: Offset after it.
        value: The number, for ``number`` and ``percent``.
        role: The role a noun speaks of.
        verb: What a verb does.
        kinds: The lists of ``words.yaml`` that the word is in.
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
    """Cut one sentence.

    Args:
        plain: The whole answer, as `masked` returns it.
        start: Where the sentence begins.
        stop: Where it ends.
        names: The names of molecules by where they begin.
    """
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
        elif kind == "words":
            yield _word(text, at, end, words)
        elif kind == "other" and (named := _NAMED_ID.fullmatch(text)):
            yield Token("reaction", text, at, end, value=float(named["number"]))
        elif kind == "other" and (named := _NAMED_LABEL.fullmatch(text)):
            yield Token("number", text, at, end, value=float(named["number"]))
        elif kind == "stray" or (kind == "other" and _ENDS_IN_NUMBER.fullmatch(text)):
            yield Token("word", text, at, end, kinds=frozenset({"stray"}))
        elif kind == "other":
            denied = text.lower().endswith(("n't", "n\u2019t"))
            yield Token("word", text, at, end, kinds=frozenset({"negations"} if denied else ()))
        elif kind == "mark":
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
