"""The molecules that a question speaks of, by SMILES or by name, as the graph knows them."""

import re
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from prompts.validation import canonical_smiles, find_molecules

_NAMES = Path(__file__).with_name("common_names.yaml")


@dataclass(frozen=True, slots=True)
class Entity:
    """A molecule that a question speaks of.

    Attributes:
        text: How the question calls it.
        names: SMILES to look for in the graph: as written, and as RDKit writes it.
    """

    text: str
    names: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the entity for a record."""
        return {**asdict(self), "names": list(self.names)}


def entities_in(question: str) -> list[Entity]:
    """Return the molecules in a question in the order of the text, each once.

    SMILES are found and checked by RDKit; names are those of ``common_names.yaml``.

    Args:
        question: The question as asked.
    """
    mentions = find_molecules(question)
    found = [(at.start, at.smiles, at.smiles) for at in mentions]
    taken = [range(at.start, at.stop) for at in mentions]
    for match in _pattern().finditer(question):
        if not any(match.start() in span for span in taken):
            found.append((match.start(), match.group(), _common_names()[match.group().lower()]))
    entities: dict[str, Entity] = {}
    for _, text, smiles in sorted(found):
        names = tuple(dict.fromkeys(filter(None, (smiles, canonical_smiles(smiles)))))
        entities.setdefault(smiles, Entity(text, names))
    return list(entities.values())


@cache
def _common_names() -> dict[str, str]:
    read: dict[str, str] = yaml.safe_load(_NAMES.read_text(encoding="utf-8"))
    return {str(name).lower(): smiles for name, smiles in read.items()}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_common_names(), key=len, reverse=True)
    names = "|".join(map(re.escape, longest_first))
    # Not within a longer name: 'methanol' is no part of '2-methanol' or 'methanolate'.
    return re.compile(rf"(?<![\w\-,])(?:{names})(?![\w\-])", re.IGNORECASE)
