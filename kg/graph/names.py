"""Common names of molecules, from ``names.yaml``: what answers write in place of a SMILES."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import product
from typing import Any

import yaml

from retrocypher.kg.graph.molecules import canonical_name


@dataclass(frozen=True, slots=True)
class Names:
    """The names of ``names.yaml``; see there.

    Attributes:
        molecules: By name, the molecules that the graph has for it: one, or the two ions of a salt.
        classes: What makes of a name before it the word for a class of molecules.
    """

    molecules: Mapping[str, tuple[str, ...]]
    classes: re.Pattern[str]

    def of(self, text: str) -> tuple[str, ...]:
        """Return the molecules of a name; none if it is not known."""
        bare = " ".join(text.split())
        return self.molecules.get(bare) or self.molecules.get(bare.lower(), ())

    def molecules_of(self, text: str) -> tuple[str, ...]:
        """Return the molecules that a SMILES or a name stands for; none if it is neither."""
        name = self.of(text) or canonical_name(text)
        return (name,) if isinstance(name, str) else name or ()


@cache
def load_names() -> Names:
    """Return the names, read at the first call."""
    text = resources.files(__package__).joinpath("names.yaml").read_text("utf-8")
    data: dict[str, Any] = yaml.safe_load(text)
    molecules = {each: (smiles,) for smiles, names in data["molecules"].items() for each in names}
    classes = re.compile("|".join(data["classes"]), re.IGNORECASE)
    return Names({**dict(_salts(data["cations"], data["anions"])), **molecules}, classes)


def _salts(
    cations: Mapping[str, Sequence[str]], anions: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield names and formulas of salts, each with its two ions."""
    for (cation, first), (anion, second) in product(cations.items(), anions.items()):
        for one, other in product(first, second):
            if one.islower() == other.islower():
                yield f"{one} {other}" if one.islower() else f"{one}{other}", (cation, anion)
