"""Molecules of the question: whether the query spells them letter by letter."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from retrocypher.kg.cypher.edits import StringLiteral, string_literals
from retrocypher.kg.graph.molecules import canonical_smiles
from retrocypher.prompts.validation.finding import Finding

_STEREO = str.maketrans("", "", "@/\\")
_CHARGED_ATOM = re.compile(r"\[([A-Za-z]+?)H?\d*(?:[+-]+\d*)?\]")
_ALIKE = 0.8
_CLOSE_ENOUGH = 0.6
_SHORTEST = 4


class Spellings:
    """The molecules of a question and what the query writes for them."""

    def __init__(self, query: str, asked: Sequence[str]) -> None:
        written = [(_matched(query, literal), literal) for literal in string_literals(query)]
        names = {name for name, _ in written}
        self.missing = [name for name in asked if name not in names]
        others = [literal for name, literal in written if name not in asked]
        self.pairs: dict[str, tuple[StringLiteral, bool]] = {}
        for name in self.missing:
            used = {literal.start for literal, _ in self.pairs.values()}
            found = _nearest(name, [each for each in others if each.start not in used])
            if found is not None:
                self.pairs[name] = found

    def findings(self) -> Iterator[Finding]:
        """The molecules that are missing, and what stands in their place."""
        for name in self.missing:
            if name not in self.pairs:
                yield Finding(
                    "wrong_entity", f"The query does not look up {name}, which the question names.", 0, 0
                )
                continue
            literal, altered = self.pairs[name]
            if altered:
                yield Finding.at(
                    literal,
                    "altered_smiles",
                    f"{literal.raw} is not the question's {name}: {_difference(literal.value, name)} "
                    "Copy the SMILES character by character, with each backslash doubled.",
                )
            else:
                yield Finding.at(
                    literal,
                    "wrong_entity",
                    f"{literal.raw} is another molecule than the question names; look up {name}.",
                )


def _matched(query: str, literal: StringLiteral) -> str:
    """The text in the middle of what a regular expression matches; of another literal, its own text."""
    if not query[: literal.start].rstrip().endswith("=~"):
        return literal.value
    return re.sub(r"\\(.)", r"\1", literal.value.removeprefix("(?i)")).strip(".*^$")


def _nearest(name: str, literals: list[StringLiteral]) -> tuple[StringLiteral, bool] | None:
    """The literal that stands in a molecule's place, and whether it is that molecule spelled otherwise."""
    scored = [(_likeness(name, each.value), each) for each in literals if _could_be_molecule(each.value)]
    if not scored:
        return None
    best, literal = max(scored, key=lambda pair: (pair[0], -pair[1].start))
    return literal, best >= _ALIKE


def _flat(smiles: str) -> str:
    """A SMILES without the marks of stereochemistry, which are the first to get lost."""
    return smiles.translate(_STEREO)


def _uncharged(smiles: str) -> str:
    """A SMILES without charges and written hydrogens; all that tells an ion such as `[Cl-]` from `Cl`."""
    return _CHARGED_ATOM.sub(r"\1", _flat(smiles))


_LONGEST_COMPARED = 1_000
"""Characters of a text that is compared with the name of a molecule; those of the graph are shorter."""


def _could_be_molecule(value: str) -> bool:
    return bool(value) and not any(character.isspace() for character in value.strip())


def _likeness(name: str, value: str) -> float:
    """1.0 for the same molecule; else how much the two texts have in common."""
    if value.strip().lower() == name.lower() or _uncharged(value) == _uncharged(name):
        return 1.0
    same = canonical_smiles(name)
    if same is not None and same == canonical_smiles(value):
        return 1.0
    if len(value) > _LONGEST_COMPARED:
        return 0.0
    ratio = SequenceMatcher(None, name, value, autojunk=False).ratio()
    if canonical_smiles(value) is None and ratio >= _CLOSE_ENOUGH:
        # No molecule at all, so one that was meant to be this one.
        return max(ratio, _ALIKE)
    if min(len(name), len(value)) < _SHORTEST:
        return min(ratio, _ALIKE - 0.01)
    changed = round((1 - ratio) * (len(name) + len(value)) / 2)
    return (
        max(ratio, _ALIKE) if changed <= 1 and ratio >= _CLOSE_ENOUGH else min(ratio, _stay(ratio, changed))
    )


def _stay(ratio: float, changed: int) -> float:
    """A few characters changed in a long SMILES are a slip; more are another molecule."""
    return ratio if changed <= 3 else _ALIKE - 0.01


def _difference(written: str, name: str) -> str:
    same = canonical_smiles(name)
    if same is not None and same == canonical_smiles(written):
        return "it is the same molecule spelled otherwise, and names are compared as texts."
    if written.lower() == name.lower():
        return "upper and lower case differ."
    if _flat(written) == _flat(name):
        return "marks of stereochemistry (@, / or a backslash) differ."
    if _uncharged(written) == _uncharged(name):
        return "charges or the brackets around an atom differ."
    for place, (left, right) in enumerate(zip(written, name, strict=False)):
        if left != right:
            return f"they differ from character {place + 1} on."
    return "one of them is the beginning of the other."
