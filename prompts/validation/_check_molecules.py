"""Whether the query looks up the molecules of the question, letter by letter."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from kg.cypher import StringLiteral, string_literals
from kg.molecules import canonical_smiles
from kg.reading.model import (
    Constant,
    Element,
    Operation,
    QueryModel,
    Subquery,
    Term,
    Unknown,
)
from kg.reading.simplify import walk
from prompts.validation._case import Case
from prompts.validation._model import Finding

_STEREO = str.maketrans("", "", "@/\\")
_CHARGED_ATOM = re.compile(r"\[([A-Za-z]+?)H?\d*(?:[+-]+\d*)?\]")
_ALIKE = 0.8
_CLOSE_ENOUGH = 0.6
_SHORTEST = 4


class Spellings:
    """The molecules of a question and what the query writes for them."""

    def __init__(self, reading: QueryModel, asked: Sequence[str]) -> None:
        literals = string_literals(reading.parsed.text)
        written = {literal.value for literal in literals}
        self.missing = [name for name in asked if name not in written]
        others = [each for each in literals if each.value not in asked]
        self.pairs: dict[str, tuple[StringLiteral, bool]] = {}
        for name in self.missing:
            used = {literal.start for literal, _ in self.pairs.values()}
            found = _nearest(name, [each for each in others if each.start not in used])
            if found is not None:
                self.pairs[name] = found

    @property
    def renamed(self) -> dict[str, str]:
        """What the query writes in place of a molecule, with the molecule that is meant."""
        return {literal.value: name for name, (literal, _) in self.pairs.items()}

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
                yield Finding(
                    "altered_smiles",
                    f"{literal.raw} is not the question's {name}: {_difference(literal.value, name)} "
                    "Copy the SMILES character by character, with each backslash doubled.",
                    literal.start,
                    literal.stop,
                )
            else:
                yield Finding(
                    "wrong_entity",
                    f"{literal.raw} is another molecule than the question names; look up {name}.",
                    literal.start,
                    literal.stop,
                )


def check_anchors(case: Case) -> Iterator[Finding]:
    """Molecules of the question that are matched loosely, and others that the question does not name."""
    asked = {molecule.name for molecule in case.asked.molecules}
    yield from _unused(case)
    for anchor in case.view.anchors:
        at = anchor.condition.start, anchor.condition.stop
        shown = case.written(*at)
        if anchor.kind == "like":
            yield Finding(
                "wrong_entity",
                f"`{shown}` also fits other molecules. Compare the whole name with `=`.",
                *at,
            )
        elif anchor.kind == "spelled":
            yield Finding(
                "altered_smiles",
                f"`{shown}` changes the case of letters, which gives another SMILES. Compare the name as "
                "it is.",
                *at,
            )
        elif anchor.status == "required":
            for value in anchor.values:
                if value not in asked:
                    yield Finding("wrong_entity", f"The question does not name {value}; leave it out.", *at)


def _unused(case: Case) -> Iterator[Finding]:
    """Molecules that the query writes down but does not look up."""
    anchored = {value for anchor in case.view.anchors for value in anchor.values}
    terms = [(each, each.term) for each in case.reading.conditions]
    for molecule in case.asked.molecules:
        name = molecule.name
        if name in anchored or case.reading.unread:
            continue
        using = [(condition, term) for condition, term in terms if name in case.view.texts(term)]
        if not using:
            yield Finding(
                "wrong_entity", f"{name} is written in the query, but nothing is compared with it.", 0, 0
            )
        elif all(isinstance(term, Operation) and term.operator in ("<>", "not") for _, term in using):
            at = using[0][0].start, using[0][0].stop
            yield Finding(
                "wrong_entity",
                f"`{case.written(*at)}` leaves {name} out, but it is the molecule that is asked about. Use "
                "`=`.",
                *at,
            )
        elif all(_open(term) for _, term in using):
            at = using[0][0].start, using[0][0].stop
            yield Finding(
                "wrong_entity",
                f"`{case.written(*at)}` also holds where the molecule is not {name}. Leave the alternative "
                "out.",
                *at,
            )


def _open(term: Term) -> bool:
    """Whether a condition holds, too, by an alternative that speaks of no molecule of the question."""
    if not isinstance(term, Operation) or term.operator != "or":
        return False
    return any(
        not any(isinstance(part, Subquery | Unknown | Element) for part in walk(each))
        and not any(isinstance(part, Constant) and isinstance(part.value, str) for part in walk(each))
        for each in term.operands
    )


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


def _could_be_molecule(value: str) -> bool:
    return bool(value) and not any(character.isspace() for character in value.strip())


def _likeness(name: str, value: str) -> float:
    """1.0 for the same molecule; else how much the two texts have in common."""
    if value.strip().lower() == name.lower() or _uncharged(value) == _uncharged(name):
        return 1.0
    same = canonical_smiles(name)
    if same is not None and same == canonical_smiles(value):
        return 1.0
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
    return "one of them goes on where the other ends."
