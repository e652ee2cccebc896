"""Reads plain tables of reactions: CSV with a header, or one JSON object a line."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.reactions._record import Record, reaction_string
from kg.reactions._text_lines import file_provenance, numbered_lines

_REQUIRED = ("reactants", "products")
_COLUMNS = (*_REQUIRED, "agents", "solvents", "yields", "original", "grant_date")
_ABSENT_YIELDS = ("", "-")


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A CSV file with a header, plain or gzip.

    Columns ``reactants`` and ``products`` are needed; ``agents``, ``solvents``, ``yields``, ``original`` and
    ``grant_date`` may be there, others are ignored. Molecules of one role stand apart by spaces or ``;``;
    ``yields`` are percentages in the order of the products, ``-`` where one is not known.
    """

    path: Path

    def records(self) -> Iterator[Record]:
        """Yield a record for each row; its row is the line it ends on.

        Raises:
            InputError: The file is empty or cannot be read, or a needed column is missing.
        """
        reader = csv.DictReader(line for _, line in numbered_lines(self.path))
        try:
            missing = [name for name in _REQUIRED if name not in (reader.fieldnames or ())]
            if missing:
                raise InputError(
                    f"{self.path} has no column {' or '.join(missing)}. The first line must name columns: "
                    f"{', '.join(_COLUMNS)}; the first two are needed."
                )
            before = reader.line_num
            for row in reader:
                yield _record(self.path.name, reader.line_num, row)
            if reader.line_num == before:
                raise InputError(f"{self.path} has a header and no rows.")
        except csv.Error as error:
            raise InputError(f"{self.path} cannot be read at line {reader.line_num}: {error}.") from error

    def provenance(self) -> dict[str, object]:
        """Return kind and file."""
        return file_provenance("csv", self.path)


@dataclass(frozen=True, slots=True)
class JsonLines:
    """A file with one JSON object a line, plain or gzip.

    The keys are the columns of `CsvTable`; a role is a list of SMILES (or one string as in the CSV), and
    ``yields`` a list of numbers or null.
    """

    path: Path

    def records(self) -> Iterator[Record]:
        """Yield a record for each line that is not blank.

        Raises:
            InputError: The file is empty or cannot be read.
        """
        for number, line in numbered_lines(self.path):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                yield Record(self.path.name, number, original=line.strip(), fault=f"not JSON: {error}")
                continue
            if not isinstance(row, dict):
                yield Record(self.path.name, number, original=line.strip(), fault="not a JSON object")
                continue
            yield _record(self.path.name, number, row)

    def provenance(self) -> dict[str, object]:
        """Return kind and file."""
        return file_provenance("jsonl", self.path)


def _record(name: str, number: int, row: Mapping[Any, Any]) -> Record:
    if None in row:
        return Record(name, number, original=str(dict(row)), fault="more fields than columns")
    try:
        reactants, products, agents, solvents = (
            _molecules(role, row.get(role)) for role in ("reactants", "products", "agents", "solvents")
        )
        yields = _yields(row.get("yields"), len(products))
        original = _string("original", row.get("original"))
        grant_date = _string("grant_date", row.get("grant_date"))
    except ValueError as error:
        return Record(name, number, original=str(dict(row)), fault=str(error))
    original = original or reaction_string(reactants, agents + solvents, products)
    return Record(name, number, reactants, products, agents, solvents, yields, original, grant_date or None)


def _molecules(role: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(value.replace(";", " ").split())
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(item.strip() for item in value if item.strip())
    raise ValueError(f"{role} is neither text nor a list of SMILES")


def _yields(value: Any, products: int) -> tuple[float | None, ...]:
    items = value.replace(";", " ").split() if isinstance(value, str) else value
    if items is None:
        items = []
    elif isinstance(items, int | float) and not isinstance(items, bool):
        items = [items]
    if not isinstance(items, list) or len(items) > products:
        raise ValueError("yields is not a list of at most one number for each product")
    return tuple(_yield(item) for item in items) + (None,) * (products - len(items))


def _yield(item: Any) -> float | None:
    if item is None or item in _ABSENT_YIELDS:
        return None
    if isinstance(item, bool):
        raise ValueError("the yield is not a number")
    try:
        return float(item)
    except (TypeError, ValueError):
        raise ValueError(f"the yield {item!r} is not a number") from None


def _string(name: str, value: Any) -> str:
    if value is None or isinstance(value, str):
        return (value or "").strip()
    raise ValueError(f"{name} is not text")
