"""The words by which answers are read, from ``words.yaml``."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from retrocypher.kg.claims.claim import Predicate
from retrocypher.kg.graph.names import load_names

MARK = "\ue000"
"""Stands for each character of a molecule in a text that is read for its words."""

_KINDS = (
    "lists",
    "copulas",
    "determiners",
    "of",
    "negations",
    "turns",
    "reactions",
    "routes",
    "ordinals",
    "counters",
    "counts",
    "dated",
    "links",
    "yield_words",
    "best_words",
    "below_best",
    "names",
    "untold",
    "doubts",
    "worded_yields",
    "denials",
    "exclusives",
    "comparisons",
    "relations",
    "number_words",
    "several",
    "countables",
    "step_words",
    "idioms",
    "introductions",
    "asks",
    "running",
    "co_products",
)

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
    """The words of ``words.yaml``; see there. ``pattern`` finds the next token, whatever its kind."""

    pattern: re.Pattern[str]
    kinds: Mapping[str, re.Pattern[str]]
    nouns: tuple[tuple[Predicate, re.Pattern[str]], ...]
    verbs: tuple[tuple[Verb, re.Pattern[str]], ...]
    amounts: re.Pattern[str]
    other_percentages: re.Pattern[str]
    none: re.Pattern[str]
    telling: re.Pattern[str]
    numbers: Mapping[str, int]


@cache
def load_words() -> Words:
    """Return the words, read at the first call."""
    text = resources.files(__package__).joinpath("words.yaml").read_text("utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    known = [_literally(name) for name in sorted(load_names().molecules, key=len, reverse=True)]
    data["names"] = [*known, *data["names"]]
    nouns = tuple((role, _whole(said)) for role, said in data["nouns"].items())
    verbs = tuple(
        (
            Verb(each["before"], each["after"], each.get("joins", False)),
            _whole(each["words"]),
        )
        for each in data["verbs"]
    )
    # Phrases first, then the single words they may hold: the first alternative that fits is taken.
    phrases = [
        *(word for each in data["verbs"] for word in each["words"]),
        *(word for said in data["nouns"].values() for word in said),
        *(word for kind in _KINDS for word in data[kind] if " " in word or "/" in word),
    ]
    singles = [word for kind in _KINDS for word in data[kind] if " " not in word]
    words = "|".join(_flexible(each) for each in (*phrases, *singles))
    numbered = "|".join(_flexible(each) for each in known if each[0].isdigit())
    counted = [
        *(word for said in data["nouns"].values() for word in said),
        *(word for kind in _COUNTED for word in data[kind]),
    ]
    counting = "|".join(_flexible(each) for each in counted)
    pattern = re.compile(
        rf"(?P<molecule>{MARK}+)"
        rf"|(?P<named>(?<![\w-])(?:{numbered})(?!\w))"
        # "1-hexene", but not "3-step".
        rf"|(?P<locant>(?<![\w.])\d{{1,2}}(?:,\d{{1,2}})*-(?!(?:{counting})\b)(?:(?=[a-z]{{4}})|(?<=[a-z]-\d-)(?=[a-z])))"
        r"|(?P<ordinal>(?<!\w)\d{1,2}(?:st|nd|rd|th)(?!\w))"
        rf"|(?P<arrow>[→⟶➔➜➝➡⇒⟹↦]|[-\u2013\u2014]{{1,3}}>|={{1,2}}>|>>"
        r"|(?<=\d )>(?= \d)"
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
    kinds = {kind: _whole(data[kind]) for kind in _KINDS}
    further = ("amounts", "other_percentages", "none", "telling")
    numbers = {word: value for value, word in enumerate(data["number_words"])}
    return Words(
        pattern, kinds, nouns, verbs, **{name: _whole(data[name]) for name in further}, numbers=numbers
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
