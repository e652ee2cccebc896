"""An answer cut into molecules, numbers and the words that matter, from ``words.yaml``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml

from retrocypher.kg.claims.claim import Predicate
from retrocypher.kg.graph.molecules import Mention, canonical_name, find_molecules, is_doubtful
from retrocypher.kg.graph.names import load_names

MARK = "\ue000"
"""Stands for each character of a molecule in a text that is read for its words."""

_COUNTED = ("reactions", "routes", "countables", "step_words")
"""Besides roles, words for what a number before a hyphen counts: ``3-step``."""


@dataclass(frozen=True, slots=True)
class Verb:
    """What a verb gives to the molecules before it and after it; None where it leaves them alone.

    ``joins`` is whether a "with" behind it leads to more of the same.
    """

    before: Predicate | None
    after: Predicate | None
    joins: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """The words of ``words.yaml``; see there. ``pattern`` finds the next token, whatever its kind.

    ``kinds`` are all lists but nouns and verbs; ``numbers`` has the value of each number word.
    """

    pattern: re.Pattern[str]
    kinds: Mapping[str, re.Pattern[str]]
    nouns: tuple[tuple[Predicate, re.Pattern[str]], ...]
    verbs: tuple[tuple[Verb, re.Pattern[str]], ...]
    numbers: Mapping[str, int]


@cache
def load_words() -> Words:
    """Return the words, read at the first call."""
    text = resources.files(__package__).joinpath("words.yaml").read_text("utf-8")
    kinds: dict[str, Any] = yaml.safe_load(text)
    roles, actions = kinds.pop("nouns"), kinds.pop("verbs")
    known = [_literally(name) for name in sorted(load_names().molecules, key=len, reverse=True)]
    kinds["names"] = [*known, *kinds["names"]]
    nouns = [word for said in roles.values() for word in said]
    listed = [word for said in kinds.values() for word in said]
    # Phrases first, then the single words they may hold: the first alternative that fits is taken.
    phrases = [word for each in actions for word in each["words"]] + nouns
    phrases += [word for word in listed if " " in word or "/" in word]
    words = "|".join(map(_flexible, [*phrases, *(word for word in listed if " " not in word)]))
    numbered = "|".join(_flexible(each) for each in known if each[0].isdigit())
    counting = "|".join(map(_flexible, [*nouns, *(word for kind in _COUNTED for word in kinds[kind])]))
    pattern = re.compile(
        rf"(?P<molecule>{MARK}+)"
        rf"|(?P<named>(?<![\w-])(?:{numbered})(?!\w))"
        # "1-hexene", but not "3-step".
        rf"|(?P<locant>(?<![\w.])\d{{1,2}}(?:,\d{{1,2}})*-(?!(?:{counting})\b)(?:(?=[a-z]{{4}})|(?<=[a-z]-\d-)(?=[a-z])))"
        r"|(?P<ordinal>(?<!\w)\d{1,2}(?:st|nd|rd|th)(?!\w))"
        rf"|(?P<arrow>[→⟶➔➜➝➡⇒⟹↦]|[-\u2013\u2014]{{1,3}}>|={{1,2}}>|>>|(?<=\d )>(?= \d)"
        r"|\\(?:long)?rightarrow\b|\\to\b|&rarr;)"
        r"|(?P<back>[←⟵⇐⟸]|<[-\u2013\u2014]{1,3}(?!>)|\\(?:long)?leftarrow\b|&larr;)"
        # A comma is a decimal one before a percent sign alone; elsewhere it parts the numbers of a list.
        r"|(?P<number>(?<![^\W_])(?<![\d\s]\.)(?:(?<!\d,)\d{1,3},\d{1,2}(?=\s?%)"
        r"|\d{1,3}(?:,\d{3})+(?!\w)(?:\.\d+)?|\d+(?:\.\d+)?(?![\d])))"
        rf"|(?P<words>(?<!\w)(?:{words})(?!\w))"
        r"|(?P<other>[^\W\d_][\w'\u2019]*|[°])"
        r"|(?P<stray>\d+)"
        r"|(?P<mark>[^\s\w])",
        re.IGNORECASE,
    )
    return Words(
        pattern,
        {kind: _whole(said) for kind, said in kinds.items()},
        tuple((role, _whole(said)) for role, said in roles.items()),
        tuple(
            (Verb(each["before"], each["after"], each.get("joins", False)), _whole(each["words"]))
            for each in actions
        ),
        {word: value for value, word in enumerate(kinds["number_words"])},
    )


def _literally(name: str) -> str:
    """A pattern for a name; of formulas and abbreviations, upper and lower case matter."""
    pattern = re.escape(name).replace(r"\ ", " ")
    return pattern if name.islower() else f"(?-i:{pattern})"


def _whole(words: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(_flexible(each) for each in words), re.IGNORECASE)


def _flexible(pattern: str) -> str:
    """A blank stands for white space, a hyphen or a low line within one line, and no group is kept."""
    grouped = re.sub(r"\((?!\?)", "(?:", pattern)
    return re.sub(r" (\??)", lambda blank: r"[ \t\-_]" + (blank[1] or "+"), grouped)


LONGEST = 100_000
"""Characters of an answer that are read."""
_LONGEST_NUMBER = 15

Kind = Literal[
    "molecule", "reaction", "yield", "number", "percent", "arrow", "back", "noun", "verb", "word", "mark"
]

_NAMED_ID = re.compile(
    r"(?:(?:rxn|reaction|id)_?(?=\d{1,9}\Z)|R_?(?=\d{3,9}\Z))(?P<number>\d+)", re.IGNORECASE
)
_ENDS_IN_NUMBER = re.compile(r"R_?\d{1,2}|[A-Za-z]{2,12}_?\d{2,9}", re.IGNORECASE)
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
    found: list[Mention] = []
    at = mention.start
    for part in mention.smiles.split("."):
        name = name_of(part) if part else None
        if name is None:
            return []
        found.append(Mention(name, at, at + len(part)))
        at += len(part) + 1
    return found


MOST_MOLECULES = 2_000
"""Molecules of an answer that are read."""

_BEFORE_LISTED = re.compile(r"(?:[,+/&;:|\u2192>(`\"*]|\b(?:and|or))[ \t`\"*]*$")
_BEHIND_LISTED = re.compile(
    r"[`\"*]{0,3}[ \t]*(?:[,+/&;.()|\n→\]]|$)"
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
    # Quotes and the lines of tables may stand right beside a SMILES.
    unquoted = _QUOTE.sub(" ", text)
    written = _without_words(text, find_molecules(unquoted, MOST_MOLECULES, doubtful=True))
    found: list[Mention] = []
    for mention in written:
        apart = fragments(text, mention)
        name = name_of(mention.smiles)
        if len(apart) > 1:
            found.extend(apart)
        elif name is not None:
            found.append(Mention(name, mention.start, mention.stop))
    return found


def _without_words(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Leave out words such as ``NO`` or ``I``, unless they stand where molecules of a list or quote do."""
    found: list[Mention] = []
    for mention in mentions:
        # "NBS" is a SMILES, too.
        named = mention.smiles in load_names().molecules
        before = text[max(0, mention.start - 8) : mention.start]
        listed = _BEFORE_LISTED.search(before) and _BEHIND_LISTED.match(text, mention.stop)
        if not named and (listed or not is_doubtful(mention.smiles)):
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
