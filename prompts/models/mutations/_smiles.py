"""Errors that alter a molecule's SMILES: the only ones that touch a string."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from kg.cypher import Edit, ParsedQuery, quote, string_literals
from prompts.models.mutations._anchors import anchors
from prompts.models.mutations._operator import Mutation, Operator

_AROMATIC = re.compile(r"(?<!\[)[cnos](?![a-z])")
_ALIPHATIC = re.compile(r"(?<!\[)[CNOS](?![a-z])")
_RING_DIGIT = re.compile(r"(?<=[A-Za-z\]])\d")
_ATOM = re.compile(r"\[[^\]]*\]|Br|Cl|[A-Za-z]")
_CHARGED = re.compile(r"\[([A-Z][a-z]?)H?\d?[+-]\d?\]")
_STEREO = re.compile(r"@@?|[/\\]")


def _altered(change: Callable[[str], Iterable[str]]) -> Callable[[ParsedQuery], list[Mutation]]:
    def mutations(query: ParsedQuery) -> list[Mutation]:
        values = {literal.start: literal.value for literal in string_literals(query.text)}
        return [
            Mutation((Edit(literal.start, literal.stop, quote(text)),))
            for anchor in anchors(query)
            if (literal := anchor.literal)
            for text in dict.fromkeys(change(values[literal.start]))
            if text and text != values[literal.start]
        ]

    return mutations


def _case(smiles: str) -> Iterator[str]:
    for pattern in (_AROMATIC, _ALIPHATIC):
        found = list(pattern.finditer(smiles))
        for match in found[:1] + found[-1:]:
            yield smiles[: match.start()] + match.group().swapcase() + smiles[match.end() :]
    yield smiles.upper()


def _ring_digit(smiles: str) -> Iterator[str]:
    found = list(_RING_DIGIT.finditer(smiles))
    for match in found[:1] + found[-1:]:
        other = str(int(match.group()) % 9 + 1)
        yield smiles[: match.start()] + other + smiles[match.end() :]
        yield smiles[: match.start()] + smiles[match.end() :]


def _bracket(smiles: str) -> Iterator[str]:
    for character in "()[]":
        place = smiles.rfind(character)
        if place >= 0:
            yield smiles[:place] + smiles[place + 1 :]


def _stereo(smiles: str) -> Iterator[str]:
    yield _STEREO.sub("", smiles)
    for match in list(_STEREO.finditer(smiles))[:2]:
        turned = {"@": "@@", "@@": "@", "/": "\\", "\\": "/"}[match.group()]
        yield smiles[: match.start()] + turned + smiles[match.end() :]


def _charge(smiles: str) -> Iterator[str]:
    for match in list(_CHARGED.finditer(smiles))[:2]:
        yield smiles[: match.start()] + match.group(1) + smiles[match.end() :]


def _atom(smiles: str) -> Iterator[str]:
    """One atom less or more, as when a long SMILES is copied from memory."""
    found = list(_ATOM.finditer(smiles))
    if len(found) > 3:
        for match in (found[-1], found[len(found) // 2]):
            yield smiles[: match.start()] + smiles[match.end() :]
            yield smiles[: match.end()] + match.group() + smiles[match.end() :]


def _backslash(query: ParsedQuery) -> Sequence[Mutation]:
    """The literal as written: one backslash for two, none, or four."""
    found = []
    for anchor in anchors(query):
        raw = query.source(anchor.literal)
        for written in ("\\", "", "\\\\\\\\"):
            changed = raw.replace("\\\\", written)
            if changed != raw:
                found.append(Mutation((Edit(anchor.literal.start, anchor.literal.stop, changed),)))
    return found


def _operator(name: str, summary: str, change: Callable[[str], Iterable[str]]) -> Operator:
    return Operator(name, summary, "error", "altered_smiles", _altered(change))


SMILES_CASE = _operator("smiles_case", "write an atom of a SMILES in the other case", _case)
SMILES_RING = _operator("smiles_ring", "change or lose a ring digit of a SMILES", _ring_digit)
SMILES_BRACKET = _operator("smiles_bracket", "lose a bracket of a SMILES", _bracket)
SMILES_STEREO = _operator("smiles_stereo", "turn or lose the stereochemistry of a SMILES", _stereo)
SMILES_CHARGE = _operator("smiles_charge", "lose a charge of a SMILES", _charge)
SMILES_ATOM = _operator("smiles_atom", "lose or repeat an atom of a SMILES", _atom)
SMILES_BACKSLASH = Operator(
    "smiles_backslash",
    "leave a SMILES' backslashes unescaped, out, or escape them twice",
    "error",
    "altered_smiles",
    _backslash,
)
