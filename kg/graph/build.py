"""Building a graph from sources: ORDerly's extraction, CSV, JSON lines and atom-mapped reaction SMILES."""

import csv
import gzip
import importlib.metadata
import json
import math
import re
import string
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.cleaning import DROP_RULES, Report, clean
from retrocypher.kg.graph.compact import write_graph
from retrocypher.kg.graph.orderly import ParquetFolder, orderly_wheel
from retrocypher.kg.graph.reaction import ROLES, Reaction, Record, RecordSource, Rules, reaction_string

_REQUIRED = ROLES[:2]
_COLUMNS = (*ROLES, "yields", "original", "grant_date")
_ABSENT_YIELDS = ("", "-")
_YIELD = re.compile("([<>≤≥]=?|)([^%]*)(%?)")
_AFTER_BOUND = re.compile("(?<=[<>=≤≥]) ")

# The blanks of ASCII and Unicode, and characters that are not seen: zero-width ones and the soft hyphen.
_BLANKS = (
    string.whitespace + "\x1c\x1d\x1e\x1f\x85\xa0\xad\u1680\u180e\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)
_BLANKS += "".join(map(chr, range(0x2000, 0x2010)))
# Only these part one molecule from the next.
_BETWEEN = re.compile(r"[ \t;]+")
_NOTE = re.compile(r"[ \t].*", re.DOTALL)
# JSON can escape one half of a surrogate pair alone, which no UTF-8 file can hold.
_SURROGATE = re.compile("[\ud800-\udfff]")

# In SMILES a colon before digits and a closing bracket is always the atom map of a bracket atom.
_ATOM_MAP = re.compile(r":([0-9]+)\]")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""Yield the lines of a UTF-8 text file (gzip where the name ends in ``.gz``) with their numbers from 1.

    A line ends with ``\n``, ``\r\n`` or ``\r``, and is yielded with ``\n``. Raise InputError if the file is
    unreadable, not UTF-8, or has no line with text in it.
    """
    number, filled = 0, False
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for block in file:
                # A block ends with \n; bytes.splitlines also splits at each \r, and at nothing else.
                for raw in block.splitlines():
                    number += 1
                    line = _decoded(path, number, raw)
                    filled = filled or bool(line.strip())
                    yield number, f"{line}\n"
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read after row {number}: {error}.") from error
    if not filled:
        raise InputError(f"{path} is empty.")


def _decoded(path: Path, number: int, raw: bytes) -> str:
    try:
        return (raw.removeprefix(BOM_UTF8) if number == 1 else raw).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} row {number} is not UTF-8: {error}. Save the file as UTF-8.") from error


@dataclass(frozen=True, slots=True)
class _TextFile:
    """A source in one text file."""

    path: Path
    kind: ClassVar[str]

    def provenance(self) -> dict[str, object]:
        return {"kind": self.kind, "files": {self.path.name: sha256(self.path.read_bytes()).hexdigest()}}


class CsvTable(_TextFile):
    """A CSV file with a header, plain or gzip.

    Columns ``reactants`` and ``products`` are needed; ``agents``, ``solvents``, ``yields``, ``original`` and
    ``grant_date`` may be there, others are ignored. Molecules of one role stand apart by spaces or ``;``;
    ``yields`` are percentages in the order of the products, ``-`` where one is not known.
    """

    kind = "csv"

    def records(self) -> Iterator[Record]:
        """Yield a record for each row, with the line it begins on; raise InputError if malformed."""
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


class JsonLines(_TextFile):
    """A file with one JSON object a line, plain or gzip.

    The keys are the columns of `CsvTable`; a role is a list of SMILES (or one string as in the CSV), and
    ``yields`` a list of numbers or null.
    """

    kind = "jsonl"

    def records(self) -> Iterator[Record]:
        """Yield a record for each line that is not blank; raise InputError if the file cannot be read."""
        for number, line in numbered_lines(self.path):
            if not line.strip():
                continue
            row, fault = None, "not a JSON object"
            try:
                row = json.loads(line)
            except ValueError as error:
                fault = f"not JSON: {error}"
            except RecursionError:
                fault = "not JSON of a reaction: nested too deeply"
            if isinstance(row, dict):
                ignored = tuple(name for name in row if name not in _COLUMNS)
                yield _record(self.path.name, number, row, ignored)
            else:
                yield Record(self.path.name, number, fault=fault)


def _record(name: str, number: int, row: Mapping[str, Any], ignored: tuple[str, ...]) -> Record:
    changes: list[str] = []
    try:
        reactants, products, agents, solvents = (_molecules(role, row.get(role), changes) for role in ROLES)
        yields = _yields(row.get("yields"), len(products), changes)
        original = _string("original", row.get("original")).strip()
        grant_date = _string("grant_date", row.get("grant_date")).strip()
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
        changes=tuple(changes),
    )


def _molecules(role: str, value: Any, changes: list[str]) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return _trimmed(_BETWEEN.split(_string(role, value)), changes)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return _trimmed([_string(role, text) for text in value], changes)
    raise ValueError(f"{role} is neither text nor a list of SMILES")


def _trimmed(molecules: Sequence[str], changes: list[str]) -> tuple[str, ...]:
    """Return SMILES without blanks at their ends, those with something left; note the Unicode blanks."""
    found = [written.strip(_BLANKS) for written in molecules]
    unicode = [a != b.strip(string.whitespace) for a, b in zip(found, molecules, strict=True)]
    changes += ["unicode_blank"] * sum(unicode)
    return tuple(filter(None, found))


def _yields(value: Any, products: int, changes: list[str]) -> tuple[float | None, ...]:
    items = _numbers(_string("yields", value)) if isinstance(value, str) else value
    if items is None:
        items = []
    elif isinstance(items, int | float) and not isinstance(items, bool):
        items = [items]
    if not isinstance(items, list | tuple) or len(items) > products:
        raise ValueError("yields is not a list of at most one number for each product")
    return tuple(_yield(item, changes) for item in items) + (None,) * (products - len(items))


def _numbers(text: str) -> list[str]:
    """Return the yields of a field; a blank before a percent sign or after a bound does not part two."""
    joined = _AFTER_BOUND.sub("", " ".join(text.split()).replace(" %", "%"))
    return joined.replace(";", " ").split()


def _yield(item: Any, changes: list[str]) -> float | None:
    if item is None or item in _ABSENT_YIELDS:
        return None
    # Only text is quoted: the repr of a deep list would go deeper than Python can.
    fault = f"the yield {item!r} is not a number" if isinstance(item, str) else "a yield is not a number"
    if isinstance(item, bool):
        raise ValueError(fault)
    bound = percent = ""
    if isinstance(item, str) and (found := _YIELD.fullmatch(item.strip())):
        bound, item, percent = found.groups()
    try:
        number = float(item)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):
        raise ValueError(fault) from None
    if math.isnan(number):
        raise ValueError(fault)
    if bound:
        changes.append("yield_bound")
        return None
    if percent:
        changes.append("percent_sign")
    return number


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
    return value


class MappedSmiles(_TextFile):
    """A file of atom-mapped reaction SMILES, one a line, plain or gzip; text after a space is ignored.

    A molecule left of the products that shares a map number with a product is a reactant, any other an
    agent: such data does not tell agents from solvents.
    """

    kind = "smiles"

    def records(self) -> Iterator[Record]:
        """Yield a record for each line that is not blank; raise InputError if the file cannot be read."""
        for number, line in numbered_lines(self.path):
            if line.strip(_BLANKS):
                yield read_line(self.path.name, number, _NOTE.sub("", line.strip(string.whitespace)))


def read_line(name: str, number: int, reaction: str) -> Record:
    """Return the record of one mapped reaction SMILES, ``reactants>agents>products``."""
    sides = reaction.split(">")
    if len(sides) != 3:
        return Record(name, number, original=reaction, fault="not a reaction SMILES: two '>' are needed")
    changes: list[str] = []
    left, middle, products = (_trimmed(side.split("."), changes) for side in sides)
    left += middle
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
        changes=tuple(changes),
    )


def _maps(molecule: str) -> set[str]:
    return {number for number in _ATOM_MAP.findall(molecule) if number.strip("0")}


def _unmapped(molecule: str) -> str:
    # The same molecule has other map numbers in every reaction; without them it is made canonical only once.
    return _ATOM_MAP.sub("]", molecule)


@dataclass(frozen=True, slots=True)
class BuiltGraph:
    """A graph numbered from 1, its report, and for the manifest sources, rules and software (``about``)."""

    reactions: tuple[Reaction, ...]
    report: Report
    about: dict[str, object]

    def write(self, folder: Path) -> None:
        """Write the graph in its compact form, as `read_graph` reads it."""
        write_graph(folder, self.reactions, self.report, self.about)


def _nothing_left(report: Report) -> str:
    counts = ", ".join(f"{count} {rule}" for rule, count in report.dropped().items() if count)
    text = f"No reaction is left of {report.read} records ({counts})."
    if report.drops:
        first = report.drops[0]
        text += f" The first, {first.file} row {first.row}: {DROP_RULES[first.rule]} {first.detail}".rstrip()
        text += ". Correct the source, or give another one or fewer rules."
    return text


def build_graph(sources: Sequence[RecordSource], rules: Rules | None = None) -> BuiltGraph:
    """Read the sources in order and clean them as one; raise InputError if unreadable or nothing is left.

    Of duplicates the first with a yield is kept.
    """
    rules = rules or Rules()
    report = Report()
    reactions = clean(chain.from_iterable(source.records() for source in sources), rules, report)
    if not reactions:
        raise InputError(_nothing_left(report))
    about: dict[str, object] = {
        "rules": asdict(rules),
        "sources": [source.provenance() for source in sources],
        "software": {"rdkit": importlib.metadata.version("rdkit")},
    }
    return BuiltGraph(tuple(reactions), report, about)


_KINDS: Mapping[str, Callable[[Path], RecordSource]] = {
    "orderly": lambda path: orderly_wheel(path) if path.suffix == ".whl" else ParquetFolder(path),
    "smiles": MappedSmiles,
    "csv": CsvTable,
    "jsonl": JsonLines,
}


def open_source(spec: str) -> RecordSource:
    """Return the source that a specification names; raise InputError for another, or for a missing path.

    ``orderly`` is the wheel, downloaded once; ``orderly:PATH`` a folder of parquet files or the wheel;
    others are ``smiles:FILE``, ``csv:FILE`` and ``jsonl:FILE``.
    """
    kind, _, path = spec.partition(":")
    if spec == "orderly":
        return orderly_wheel()
    if kind not in _KINDS or not path:
        raise InputError(
            f"'{spec}' is not a source. Give orderly, orderly:FOLDER, smiles:FILE, csv:FILE or jsonl:FILE."
        )
    if not Path(path).exists():
        raise InputError(f"The source '{spec}' does not exist: there is nothing at {path}.")
    return _KINDS[kind](Path(path))
