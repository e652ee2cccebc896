"""The molecules that a question speaks of, by SMILES or by name, as the graph knows them."""

import re
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

from prompts.validation import canonical_smiles, common_names, find_molecules


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

    SMILES are found and checked by RDKit; names are those of ``prompts.validation.common_names``.

    Args:
        question: The question as asked.
    """
    mentions = find_molecules(question)
    found = [(at.start, at.smiles, at.smiles) for at in mentions]
    taken = [range(at.start, at.stop) for at in mentions]
    for match in _pattern().finditer(question):
        if not any(match.start() in span for span in taken):
            found.append((match.start(), match.group(), common_names()[match.group().lower()]))
    entities: dict[str, Entity] = {}
    for _, text, smiles in sorted(found):
        names = tuple(dict.fromkeys(filter(None, (smiles, canonical_smiles(smiles)))))
        entities.setdefault(smiles, Entity(text, names))
    return list(entities.values())


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(common_names(), key=len, reverse=True)
    names = "|".join(map(re.escape, longest_first))
    # Not within a longer name: 'methanol' is no part of '2-methanol' or 'methanolate'.
    return re.compile(rf"(?<![\w\-,])(?:{names})(?![\w\-])", re.IGNORECASE)
