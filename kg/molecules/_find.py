"""SMILES within the words of a text."""

import re
from functools import lru_cache
from typing import NamedTuple

from rdkit import Chem, rdBase

_WORD = re.compile(r"\S+")
_BETWEEN = re.compile(r"(?:>>|→|⟶|➔|⇒|=>|-->)")
_POSSESSIVE = re.compile("['\u2019]s$")
_CHARACTERS = re.compile(r"[A-Za-z0-9@+\-\[\]()=#$/\\%.:*~]+")
_CHAIN = re.compile(r"(?:Cl|Br|[BCNOPSFI])+")
_QUOTES = "\"'`*_\u00b4\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e\u201a"
_PUNCTUATION = ",;!?:…"
_OPENING = "([{<"
_CLOSING = ")]}>"
# Each of these is a SMILES and also a word; as a SMILES it has to stand between quotes.
MOST_MENTIONS = 40
"""How many molecules of a question are read; none names more."""
_LONGEST = 2000
_LAYERS = 4
_WORDS = frozenset(
    {"I", "B", "P", "IN", "ON", "SO", "NO", "OF", "IF", "IS", "ION", "IONS", "NON", "OK", "BIS"}
)
_COUNTED = re.compile(
    r"(?:[ \t]+|-)(?:reaction |synthetic )?(?:steps?|stages?|reactions?|hops?)\b", re.IGNORECASE
)


class Mention(NamedTuple):
    """A molecule in a text: its SMILES as written, and where it stands."""

    smiles: str
    start: int
    stop: int


def find_molecules(text: str, most: int = MOST_MENTIONS, *, doubtful: bool = False) -> list[Mention]:
    """Return the SMILES in a text in order.

    A word counts as one where RDKit reads its syntax and it cannot be taken for a word of the language.
    Quotes, brackets and punctuation around it do not belong to it.

    Args:
        text: Any text.
        most: After this many the rest of the text is not read.
        doubtful: Whether words of the language that are SMILES too, such as ``NO``, are among them; see
            `is_doubtful`.
    """
    found: list[Mention] = []
    with rdBase.BlockLogs():
        for word in _WORD.finditer(text):
            start = word.start()
            for piece in _pieces(word.group()):
                at = text.index(piece, start)
                mention = _molecule(text, piece, at, doubtful=doubtful)
                if mention is not None:
                    found.append(mention)
                    if len(found) == most:
                        return found
                start = at + len(piece)
    return found


def _pieces(word: str) -> list[str]:
    """The parts of a word between commas, semicolons and reaction arrows, none of which a SMILES holds."""
    return [part for side in _BETWEEN.split(word) for part in re.split(r"[,;]", side) if part]


def is_doubtful(smiles: str) -> bool:
    """Whether a SMILES is also a word of the language."""
    return smiles in _WORDS


def _molecule(text: str, piece: str, start: int, *, doubtful: bool) -> Mention | None:
    core = piece.rstrip(_PUNCTUATION + ".")
    core = _POSSESSIVE.sub("", core)
    quoted = core[:1] in _QUOTES and core[:1] != "" and core[-1:] in _QUOTES
    stripped = core.strip(_QUOTES + _PUNCTUATION)
    if stripped.endswith("."):
        stripped = stripped.rstrip(".")
    for candidate in _unwrapped(stripped):
        if _is_smiles(candidate, quoted=doubtful or quoted or candidate != stripped):
            at = text.index(candidate, start)
            if not quoted and len(candidate) == 1 and _COUNTED.match(text, at + 1):
                return None
            return Mention(candidate, at, at + len(candidate))
    return None


def _unwrapped(word: str) -> list[str]:
    """A word, and the word without brackets and quotes at its ends, the longest first."""
    found = [word]
    for _ in range(_LAYERS):
        if not word or not (
            word[0] in _OPENING + _QUOTES or word[-1] in _CLOSING + _QUOTES + _PUNCTUATION + "."
        ):
            break
        ends = word[0] in _OPENING + _QUOTES, word[-1] in _CLOSING + _QUOTES + _PUNCTUATION + "."
        found += [word[:-1]] if ends[1] else []
        found += [word[1:]] if ends[0] else []
        word = word[ends[0] : len(word) - ends[1]]
        found.append(word)
    return sorted(dict.fromkeys(found), key=len, reverse=True)


def _is_smiles(word: str, *, quoted: bool) -> bool:
    if len(word) > _LONGEST or not _CHARACTERS.fullmatch(word) or word.isdigit():
        return False
    if word.isalpha():
        if not _CHAIN.fullmatch(word) or (word in _WORDS and not quoted):
            return False
    elif not any(character.isalpha() or character == "*" for character in word) or _is_hyphenated(word):
        return False
    molecule = Chem.MolFromSmiles(word, sanitize=False)
    return molecule is not None and molecule.GetNumAtoms() > 0


def _is_hyphenated(word: str) -> bool:
    """Whether it is letters and hyphens in lower case, such as `non-co`."""
    return all(part.isalpha() and part.islower() for part in re.split(r"[-.:/]", word) if part)


@lru_cache(maxsize=256)
def canonical_smiles(smiles: str) -> str | None:
    """Return a SMILES as RDKit writes it; None where RDKit reads no molecule in it."""
    # RDKit takes what follows a space for a name, stops at a NUL, and cannot be given half a surrogate pair.
    if len(smiles) > _LONGEST or not _CHARACTERS.fullmatch(smiles):
        return None
    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(smiles, sanitize=False)
        if (
            molecule is None
            or Chem.SanitizeMol(molecule, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE
        ):
            return None
        return str(Chem.MolToSmiles(molecule)) or None
