"""What a procedure text says of a reaction: the molecules it names and the yields it states."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from retrocypher.kg.graph.names import load_names
from retrocypher.kg.graph.reaction import Reaction

NEAR_POINTS = 1.0
"""Percentage points by which two statements of one yield may differ: texts round."""

LONGEST_NAME = 400
"""Characters of a name; longer runs of words are lists, or no names."""

_MOST_WORDS = 5

_NUMBER = r"\d{1,3}(?:\.\d+)?"
_PERCENT = r"\s?(?:mole?[\s-]?)?(?:%|per\s?cent|pct)"
_ABOUT = r"(?:(?:ca\.?|about|approx\.?|~)\s?)?"
_OBTAINED = (
    "giv|gave|afford|yield|obtain|provid|furnish|isolat|produc|prepar(?!ed from)|crystalli|residue|deliver"
    "|leav|left"
)
_AMOUNT = r"\d\s?(?:m?g|kg|gms?|grams?|parts?|m?mol(?:es?)?)\.?"
# What stands between an amount and its share: "1.6 g (80%", "1.6 g, (80%", "(1.6 g) (ca. 80%", "(1.6 g. 80%",
# "(1.6 g, m.p. 102-104 C, 80%".
_MELTING_POINT = r"(?:[,;]\s?m\.?\s?p\.?[^%()]{1,25})?"
_BETWEEN = rf"{_MELTING_POINT}\s?(?:\)\s?\(|[,;]\s?\(|[,;(]{{1,2}}|(?<=\.)\s)\s?{_ABOUT}"
_YIELD = re.compile(
    rf"(?:yield|\byld\b\.?)[^.%\d]{{0,25}}{_ABOUT}(?P<after>{_NUMBER}){_PERCENT}"
    rf"|(?P<before>{_NUMBER}){_PERCENT}[\s-]{{0,2}}"
    r"(?:(?:of )?(?:the )?(?:theor|th\.|calculated)|(?:overall |crude |isolated )?yield)"
    # The sign before the number: "percent yield: 81".
    rf"|(?:%|per\s?cent(?:age)?) yield[^.%\d]{{0,10}}(?P<unsigned>{_NUMBER})"
    r"(?!\.?\d|\s?(?:%|[mk]?g\b|m?l\b|m?mol\b))"
    # What is obtained, its amount, and the share in brackets: "gave 1.6 g (80%) of the ester".
    rf"|(?:{_OBTAINED})[^%]{{0,250}}?{_AMOUNT}{_BETWEEN}(?P<share>{_NUMBER}){_PERCENT}\s?[),;]"
    r"(?!\sw(?:as|ere) (?:then )?added)"
    # The amount stands before the name: "gave 1.6 g of the ester (80%)".
    rf"|(?:{_OBTAINED})\w*\s{_ABOUT}[\d.,]*{_AMOUNT}\sof\s[^%;]{{1,90}}?\s"
    rf"\({_ABOUT}(?P<named>{_NUMBER}){_PERCENT}\s?[),;]"
    # The other order: "the ester (1.6 g, 80%) was obtained". What else is done to a molecule starts from it.
    rf"|{_AMOUNT}{_BETWEEN}(?P<first>{_NUMBER}){_PERCENT}\s?[),;](?:(?!\bw(?:as|ere)\b)[^.%]){{0,60}}"
    r"\bw(?:as|ere)\b[^.,;%]{0,15}(?:obtain|isolat|produc|afford|prepared (?:as|from|by|in the same)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s/]+")
_OPENING = {")": "(", "]": "[", "}": "{"}
_CLOSING = {opening: closing for closing, opening in _OPENING.items()}
_STOPS = ",.;:"

# Endings of chemical nomenclature, locants, hyphens. Words that are no names pass, too: OPSIN refuses them.
_CHEMICAL = re.compile(
    r".*(?:yl|[aey]ne|in|ole?|one|al|[iy]de|ate|ite|[iu]m|ic|ous|oxy|acid|ether|ester|ose|salt|o)"
    r"|.*\d.*[A-Za-z].*[A-Za-z].*|.*[A-Za-z].*[A-Za-z].*\d.*|.*[A-Za-z].*-.*[A-Za-z].*",
    re.IGNORECASE,
)


class StatedYield(NamedTuple):
    """A yield in percent, and the place of its number in the text."""

    value: float
    start: int
    stop: int


class NamedMolecule(NamedTuple):
    """The place of a name in a text, and its molecules: one, or the parts of a salt."""

    start: int
    stop: int
    molecules: tuple[str, ...]


def stated_yields(text: str) -> list[StatedYield]:
    """Return the yields that a procedure text states, in order.

    They are stated in plain words, such as ``yield: 81 %``, or with the amount that was obtained, such as
    ``gave 1.6 g (80 %)``.
    """
    found = []
    for match in _YIELD.finditer(text):
        group = str(match.lastgroup)
        found.append(StatedYield(float(match[group]), *match.span(group)))
    return found


def stated_yield(reaction: Reaction, text: str) -> StatedYield | None:
    """Return the yield that a text states for the only product of a reaction with a known yield.

    With several yields on either side there is none: it is not clear which step or product each belongs to.
    """
    stated = stated_yields(text) if len(reaction.known_yields) == 1 else []
    return stated[0] if len({each.value for each in stated}) == 1 else None


def is_near(one: float, other: float) -> bool:
    """Return whether two statements of one yield are within `NEAR_POINTS`."""
    return abs(one - other) <= NEAR_POINTS


def possible_names(text: str) -> Iterator[str]:
    """Yield what may be a name in a text: runs of up to five words that all look chemical."""
    for run in _runs(text):
        for start, stop in run:
            yield _written(text, start, stop)


def named_molecules(text: str, understood: Mapping[str, tuple[str, ...]]) -> Iterator[NamedMolecule]:
    """Yield the molecules that a text names, in order; of names that overlap, the first and longest.

    Args:
        understood: The molecules of the `possible_names` that a program understood. Common names of
            ``names.yaml`` come before them.
    """
    names = load_names()
    end = 0
    for run in _runs(text):
        for start, stop in reversed(run):
            written = _written(text, start, stop)
            molecules = names.of(written) or understood.get(written, ())
            if molecules and start >= end:
                yield NamedMolecule(start, stop, molecules)
                end = stop
                break


def _written(text: str, start: int, stop: int) -> str:
    return " ".join(text[start:stop].split())


def _runs(text: str) -> Iterator[list[tuple[int, int]]]:
    """Yield, for each word at which a name may begin, the places where it may stand, the shortest first."""
    words = [_core(text, match) for match in _WORD.finditer(text)]
    for first, (start, *_) in enumerate(words):
        run: list[tuple[int, int]] = []
        for begin, stop, opens, closes in words[first : first + _MOST_WORDS]:
            if (opens and run) or stop - start > LONGEST_NAME or not _looks_chemical(text[begin:stop]):
                break
            run.append((start, stop))
            if closes:
                break
        if run:
            yield run


def _core(text: str, word: re.Match[str]) -> tuple[int, int, bool, bool]:
    """Return a word's place without what is not part of it, and whether such stood before and after it.

    That is punctuation, brackets whose partners are in other words, and a stroke between two names.
    """
    start, stop = word.span()
    # An opening bracket at the end stays, as in `bicyclo[ 3,2,1]octane`.
    while start < stop and (text[stop - 1] in _STOPS or _is_alone(text[start:stop], -1, _OPENING)):
        stop -= 1
    while start < stop and _is_alone(text[start:stop], 0, _CLOSING):
        start += 1
    return start, stop, start > word.start(), stop < word.end() or text[stop : stop + 1] == "/"


def _is_alone(word: str, place: int, partners: Mapping[str, str]) -> bool:
    partner = partners.get(word[place])
    return partner is not None and word.count(word[place]) > word.count(partner)


def _looks_chemical(word: str) -> bool:
    return bool(_CHEMICAL.fullmatch(word)) or word in _words_of_names() or word.lower() in _words_of_names()


@cache
def _words_of_names() -> frozenset[str]:
    return frozenset(word for name in load_names().molecules for word in name.split())
