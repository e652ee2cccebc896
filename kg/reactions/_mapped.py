"""Reads mapped reaction SMILES, one a line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kg.reactions._record import Record
from kg.reactions._text_lines import file_provenance, numbered_lines

# In SMILES a colon before digits and a closing bracket is always the atom map of a bracket atom.
_ATOM_MAP = re.compile(r":([0-9]+)\]")


@dataclass(frozen=True, slots=True)
class MappedSmiles:
    """A file of atom-mapped reaction SMILES, one a line, plain or gzip; text after a space is ignored.

    A molecule left of the products that shares a map number with a product is a reactant, any other an
    agent: such data does not tell agents from solvents.
    """

    path: Path

    def records(self) -> Iterator[Record]:
        """Yield a record for each line that is not blank.

        Raises:
            InputError: The file is empty or cannot be read.
        """
        for number, line in numbered_lines(self.path):
            if line.strip():
                yield read_line(self.path.name, number, line.split()[0])

    def provenance(self) -> dict[str, object]:
        """Return kind and file."""
        return file_provenance("smiles", self.path)


def read_line(name: str, number: int, reaction: str) -> Record:
    """Return the record of one mapped reaction SMILES, ``reactants>agents>products``."""
    sides = reaction.split(">")
    if len(sides) != 3:
        return Record(name, number, original=reaction, fault="not a reaction SMILES: two '>' are needed")
    left = (*_molecules(sides[0]), *_molecules(sides[1]))
    products = _molecules(sides[2])
    made = {atom for product in products for atom in _maps(product)}
    if products and not made:
        return Record(name, number, original=reaction, fault="no product atom carries a map number")
    return Record(
        file=name,
        row=number,
        reactants=tuple(_unmapped(m) for m in left if not made.isdisjoint(_maps(m))),
        products=tuple(_unmapped(m) for m in products),
        agents=tuple(_unmapped(m) for m in left if made.isdisjoint(_maps(m))),
        yields=(None,) * len(products),
        original=reaction,
    )


def _molecules(side: str) -> tuple[str, ...]:
    return tuple(molecule for molecule in side.split(".") if molecule)


def _maps(molecule: str) -> set[str]:
    return {number for number in _ATOM_MAP.findall(molecule) if number.strip("0")}


def _unmapped(molecule: str) -> str:
    # The same molecule has other map numbers in every reaction; without them it is made canonical only once.
    return _ATOM_MAP.sub("]", molecule)
