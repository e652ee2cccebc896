"""An answer cut into molecules, numbers and the words that matter."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.claims._model import Predicate
from kg.claims._words import MARK, Verb, Words, load_words
from kg.molecules import Mention, canonical_name, find_molecules

LONGEST = 100_000
"""Characters of an answer that are read."""
MOST_MOLECULES = 2_000
"""Molecules of an answer that are read."""

Kind = Literal["molecule", "reaction", "yield", "number", "percent", "arrow", "noun", "verb", "word", "mark"]

_LABEL = re.compile(
    r"\b(?:route|path|pathway|option|method|scheme|part|type|figure|vitamin|section|step|entry|table) $",
    re.IGNORECASE,
)
_DEGREES = re.compile(r"(?:\d|°) ?$")
_LONE = re.compile(r"[A-Z]")
_JOINED_AFTER = re.compile(r"[,'\u2019\-\u2013]\w")
_JOINED_BEFORE = re.compile(r"\w[,'\u2019\-\u2013]$")


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


def mentions_in(text: str) -> list[Mention]:
    """Return the molecules of an answer by their canonical names, without letters of the language."""
    written = find_molecules(text, MOST_MOLECULES)
    edges = {edge for mention in written for edge in (mention.start, mention.stop)}
    found: list[Mention] = []
    for mention in written:
        name = canonical_name(mention.smiles) or canonical_name(mention.smiles.replace("\\\\", "\\"))
        if name is not None and not _is_letter(text, mention, edges):
            found.append(Mention(name, mention.start, mention.stop))
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


def masked(text: str, mentions: Sequence[Mention]) -> str:
    """Return the text with molecules replaced by marks, of the same length."""
    parts: list[str] = []
    position = 0
    for mention in mentions:
        parts += [text[position : mention.start], MARK * (mention.stop - mention.start)]
        position = mention.stop
    return "".join([*parts, text[position:]])


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
        elif kind == "number":
            rest = plain[end : min(end + 9, stop)].lstrip()
            value = float(text.replace(",", ""))
            percent = rest.startswith("%") or rest.lower().startswith("percent")
            yield Token("percent" if percent else "number", text, at, end, value=value)
        elif kind == "arrow":
            yield Token("arrow", text, at, end)
        elif kind == "words":
            yield _word(text, at, end, words)
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
