"""Reactions written as one SMILES: ``A.B>>C``, and ``A.B>agents>C``."""

import re

from kg.claims._words import AGENTS_FROM, PRODUCTS_FROM
from kg.molecules import Mention, canonical_name

_SIDE = r"[A-Za-z0-9@+\-\[\]()=#$/\\%.:*~]"
# Each begins where a word does, so that a long word is gone through once.
_WHOLE = re.compile(rf"(?<!>)(?<!{_SIDE}){_SIDE}+>{_SIDE}+>{_SIDE}+(?!>)")
_SEPARATED = re.compile(rf"(?<!{_SIDE}){_SIDE}+{AGENTS_FROM}{_SIDE}+{PRODUCTS_FROM}{_SIDE}+")
_BETWEEN = re.compile(f"[>{AGENTS_FROM}{PRODUCTS_FROM}]")
_OPENING, _CLOSING = "([*~", ")].:*~"
_MOST = 1_000
"""Reactions with agents that are read; they have more molecules than are read of an answer."""
_MOST_AROUND = 4
"""Characters of brackets, bold type and punctuation around a reaction."""


def name_of(smiles: str) -> str | None:
    """Return the canonical name of a molecule; a backslash may be doubled, as in JSON."""
    return canonical_name(smiles) or canonical_name(smiles.replace("\\\\", "\\"))


def fragments(text: str, mention: Mention) -> list[Mention]:
    """Return the molecules of one side of ``A.B>>C``; nothing elsewhere, where ``A.B`` may be a salt.

    Args:
        text: The answer.
        mention: A SMILES in it.
    """
    if not (text.startswith(">>", mention.stop) or text.endswith(">>", 0, mention.start)):
        return []
    return _side(mention.smiles, mention.start)


def separated(text: str) -> str:
    """Return an answer with marks for the two ``>`` of each reaction that has agents in the middle.

    Args:
        text: The answer.
    """
    if ">" not in text:
        return text
    return _WHOLE.sub(_with_marks, text, count=_MOST)


def _with_marks(match: re.Match[str]) -> str:
    if _read(match[0], match.start()) is None:
        return match[0]
    first, middle, last = match[0].split(">")
    return f"{first}{AGENTS_FROM}{middle}{PRODUCTS_FROM}{last}"


def whole_reactions(text: str) -> list[Mention]:
    """Return the molecules of reactions that have agents in the middle.

    Args:
        text: The answer, as `separated` returns it.
    """
    found: list[Mention] = []
    for match in _SEPARATED.finditer(text):
        found += _read(match[0], match.start()) or []
    return found


def _read(written: str, start: int) -> list[Mention] | None:
    first, middle, last = _BETWEEN.split(written)
    agents = _molecules(middle, start + len(first) + 1)
    products_at = start + len(first) + len(middle) + 2
    reactants, products = _molecules(first, start), _molecules(last, products_at)
    if first.startswith("**") and last.rstrip(".,:)").endswith("**"):
        # Bold type, of which RDKit makes atoms.
        return _read(f"{first[2:]}>{middle}>{last.rstrip('.,:)').removesuffix('**')}", start + 2)
    for _ in range(_MOST_AROUND):
        if not reactants and first[:1] in _OPENING:
            first, start = first[1:], start + 1
            reactants = _molecules(first, start)
        if not products and last[-1:] in _CLOSING:
            last = last[:-1]
            products = _molecules(last, products_at)
    return [*reactants, *agents, *products] if reactants and agents and products else None


def _molecules(side: str, start: int) -> list[Mention]:
    """The molecules of a side; one, where its parts are bonded across the dot."""
    name = name_of(side)
    return _side(side, start) or ([] if name is None else [Mention(name, start, start + len(side))])


def _side(side: str, start: int) -> list[Mention]:
    found: list[Mention] = []
    at = start
    for part in side.split("."):
        name = name_of(part) if part else None
        if name is None:
            return []
        found.append(Mention(name, at, at + len(part)))
        at += len(part) + 1
    return found
