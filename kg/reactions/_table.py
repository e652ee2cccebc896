"""Reads plain tables of reactions: CSV with a header, or one JSON object a line."""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.reactions._record import Record, reaction_string
from kg.reactions._text_lines import file_provenance, numbered_lines

_REQUIRED = ("reactants", "products")
_COLUMNS = (*_REQUIRED, "agents", "solvents", "yields", "original", "grant_date")
_ABSENT_YIELDS = ("", "-")
# JSON can escape one half of a surrogate pair alone, which no UTF-8 file can hold.
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A CSV file with a header, plain or gzip.

    Columns ``reactants`` and ``products`` are needed; ``agents``, ``solvents``, ``yields``, ``original`` and
    ``grant_date`` may be there, others are ignored. Molecules of one role stand apart by spaces or ``;``;
    ``yields`` are percentages in the order of the products, ``-`` where one is not known.
    """

    path: Path

    def records(self) -> Iterator[Record]:
        """Yield a record for each row; its row is the line it begins on.

        Raises:
            InputError: The file is empty or cannot be read, its quotes do not match, a needed column is
                missing, or a column is named twice.
        """
        # Not strict, the reader takes all that follows an unclosed quote for one field.
        reader = csv.reader((line for _, line in numbered_lines(self.path)), strict=True)
        begin, header, filled = 1, None, False
        try:
            for fields in reader:
                if header is None:
                    header = self._checked(fields)
                    ignored = tuple(name for name in header if name not in _COLUMNS)
                elif fields:
                    filled = True
                    if len(fields) > len(header):
                        yield Record(self.path.name, begin, fault="more fields than columns", ignored=ignored)
                    else:
                        yield _record(self.path.name, begin, dict(zip(header, fields, strict=False)), ignored)
                begin = reader.line_num + 1
        except csv.Error as error:
            raise InputError(
                f"{self.path} cannot be read at row {begin}: {error}. Correct the quotes in that row."
            ) from error
        if not filled:
            raise InputError(f"{self.path} has a header and no rows.")

    def _checked(self, header: Sequence[str]) -> Sequence[str]:
        if missing := [name for name in _REQUIRED if name not in header]:
            raise InputError(
                f"{self.path} has no column {' or '.join(missing)}. The first line must name columns: "
                f"{', '.join(_COLUMNS)}; the first two are needed."
            )
        if twice := [name for name, count in Counter(header).items() if count > 1]:
            raise InputError(
                f"{self.path} names the column {twice[0]!r} more than once. Rename or remove all but one."
            )
        return header

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
                yield Record(self.path.name, number, fault=f"not JSON: {error}")
                continue
            except RecursionError:
                yield Record(self.path.name, number, fault="not JSON of a reaction: nested too deeply")
                continue
            if not isinstance(row, dict):
                yield Record(self.path.name, number, fault="not a JSON object")
                continue
            ignored = tuple(name for name in row if name not in _COLUMNS)
            yield _record(self.path.name, number, row, ignored)

    def provenance(self) -> dict[str, object]:
        """Return kind and file."""
        return file_provenance("jsonl", self.path)


def _record(name: str, number: int, row: Mapping[str, Any], ignored: tuple[str, ...]) -> Record:
    try:
        reactants, products, agents, solvents = (
            _molecules(role, row.get(role)) for role in ("reactants", "products", "agents", "solvents")
        )
        yields = _yields(row.get("yields"), len(products))
        original = _string("original", row.get("original"))
        grant_date = _string("grant_date", row.get("grant_date"))
    except ValueError as error:
        return Record(name, number, fault=str(error), ignored=ignored)
    return Record(
        file=name,
        row=number,
        reactants=reactants,
        products=products,
        agents=agents,
        solvents=solvents,
        yields=yields,
        original=original or reaction_string(reactants, agents + solvents, products),
        grant_date=grant_date or None,
        ignored=ignored,
    )


def _molecules(role: str, value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return _parts(role, value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(item for text in value if (item := _string(role, text)))
    raise ValueError(f"{role} is neither text nor a list of SMILES")


def _yields(value: Any, products: int) -> tuple[float | None, ...]:
    items = _parts("yields", value) if isinstance(value, str) else value
    if items is None:
        items = []
    elif isinstance(items, int | float) and not isinstance(items, bool):
        items = [items]
    if not isinstance(items, list | tuple) or len(items) > products:
        raise ValueError("yields is not a list of at most one number for each product")
    return tuple(_yield(item) for item in items) + (None,) * (products - len(items))


def _yield(item: Any) -> float | None:
    if item is None or item in _ABSENT_YIELDS:
        return None
    # Only text is quoted: the repr of a deep list would go deeper than Python can.
    fault = f"the yield {item!r} is not a number" if isinstance(item, str) else "a yield is not a number"
    if isinstance(item, bool):
        raise ValueError(fault)
    try:
        number = float(item)
    except OverflowError:
        raise ValueError("a yield is too large") from None
    except (TypeError, ValueError):
        raise ValueError(fault) from None
    if math.isnan(number):
        raise ValueError(fault)
    return number


def _parts(name: str, value: str) -> tuple[str, ...]:
    return tuple(_string(name, value).replace(";", " ").split())


def _string(name: str, value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{name} is not text")
    # In CSV a line break in these is the work of a misplaced quote: the next row is inside the field.
    if "\n" in value:
        raise ValueError(f"{name} holds a line break")
    if _SURROGATE.search(value):
        raise ValueError(f"{name} holds half a character (a lone surrogate)")
    return value.strip()
