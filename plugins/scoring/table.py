"""The values of a result, read from the documented JSON form, and how many of them are right."""

import json
import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache

from retrocypher.plugins.runs.record import JsonValue
from retrocypher.plugins.scoring.columns import (
    column_names,
    listed,
    names_a_key,
    normalise,
    plain_name,
    resolve,
    stem_name,
)

# Deeper nesting than any answer needs; what lies below is not read.
MAX_DEPTH = 50

_LONGEST_NUMBER = 18

Atom = str | int | float


class ReactionId(int):
    """The id of a Reaction node; equal to the same plain integer."""


def node_of(value: JsonValue) -> Mapping[str, JsonValue] | None:
    """Return what a node value holds, None for any other value."""
    if isinstance(value, dict) and len(value) == 1 and "$node" in value:
        node = value["$node"]
        return node if isinstance(node, dict) else {}
    return None


def relationship_of(value: JsonValue) -> Mapping[str, JsonValue] | None:
    """Return what a relationship value holds, None for any other value."""
    return _tagged(value, "$relationship")


def path_of(value: JsonValue) -> Mapping[str, JsonValue] | None:
    """Return what a path value holds, None for any other value."""
    return _tagged(value, "$path")


def map_of(value: JsonValue) -> Mapping[str, JsonValue] | None:
    """Return the entries of a map, or the properties of a relationship; None for any other value."""
    if not isinstance(value, dict):
        return None
    if len(value) == 1:
        ((tag, content),) = value.items()
        if tag == "$relationship":
            return _mapping(_mapping(content).get("properties"))
        if tag == "$map":
            return _mapping(content)
        # What else is tagged is a value of its own kind and no map.
        if tag.startswith("$"):
            return None
    return value


def may_hold(value: JsonValue) -> bool:
    """Return whether a value may hold others: a list, or what JSON has as an object and is no node."""
    if isinstance(value, dict):
        return len(value) != 1 or "$node" not in value
    return isinstance(value, list)


def node_atom(node: Mapping[str, JsonValue]) -> Atom | None:
    """Return a node's value: the id of a Reaction, the name of any other node, else its id."""
    if _is_reaction(node):
        number = reaction_number(node)
        return None if number is None else ReactionId(number)
    properties = _mapping(node.get("properties"))
    for key in ("name", "id"):
        if properties.get(key) is not None:
            return scalar_atom(properties[key])
    return None


def reaction_number(node: Mapping[str, JsonValue]) -> int | None:
    """Return the id of a Reaction; None for any other node, and for one without."""
    if not _is_reaction(node):
        return None
    properties = node.get("properties")
    return whole_number(properties.get("id")) if isinstance(properties, dict) else None


def scalar_atom(value: JsonValue) -> Atom:
    """Return a scalar as a value that hashes and compares as its Cypher value does."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    # true is not 1, and NaN must equal itself to be counted once.
    return json.dumps(value, sort_keys=True, default=str)


def whole_number(value: JsonValue) -> int | None:
    """Return an integer given as such, as a float or as a string of digits; None for anything else."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    if isinstance(value, str):
        digits = value.strip().removesuffix(".0") if len(value) <= _LONGEST_NUMBER else ""
        return int(digits) if digits.isascii() and digits.isdigit() else None
    # Beyond 2**53 a float no longer tells one integer from the next.
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    return None


def atoms(value: JsonValue, depth: int = 0) -> Iterator[Atom]:
    """Yield the values in a gold cell: lists flattened, nulls left out."""
    if value is None or depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from atoms(item, depth + 1)
    elif (node := node_of(value)) is not None:
        atom = node_atom(node)
        if atom is not None:
            yield atom
    else:
        yield scalar_atom(value)


def _is_reaction(node: Mapping[str, JsonValue]) -> bool:
    labels = node.get("labels")
    return isinstance(labels, list) and "Reaction" in labels


def _tagged(value: JsonValue, tag: str) -> Mapping[str, JsonValue] | None:
    if isinstance(value, dict) and len(value) == 1 and tag in value:
        return _mapping(value[tag])
    return None


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, dict) else {}


Cells = dict[str, list[Atom]]


@dataclass(slots=True)
class Row:
    """One row; a row that a nested map makes also has the plain columns of the row it stands in."""

    shared: Cells
    own: Cells = field(default_factory=dict)

    def cells(self) -> Iterator[tuple[str, list[Atom]]]:
        """Yield column and values."""
        yield from self.shared.items()
        yield from self.own.items()


@dataclass(slots=True)
class Table:
    """A result.

    Attributes:
        names: The name that each column is matched by; entries of maps are columns ``column.entry``.
        laid_out: Columns that are read under other names: those of maps, and those of roles.
        roles: Columns named by a role in the rows.
    """

    names: dict[str, str] = field(default_factory=dict)
    laid_out: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)
    rows: list[Row] = field(default_factory=list)

    def cells(self) -> Iterator[tuple[str, list[Atom]]]:
        """Yield column and values of all rows, what rows share once."""
        shared: Cells | None = None
        for row in self.rows:
            if row.shared is not shared:
                shared = row.shared
                yield from shared.items()
            yield from row.own.items()

    def reaction_columns(self) -> frozenset[str]:
        """Return the columns that hold Reaction nodes and nothing else."""
        pure: dict[str, bool] = {}
        for column, values in self.cells():
            if pure.get(column, True):
                pure[column] = all(type(value) is ReactionId for value in values)
        return frozenset(column for column, is_pure in pure.items() if is_pure)


def read_table(columns: Sequence[str], rows: Iterable[JsonValue]) -> Table:
    """Read a result: lists flattened, nulls left out, maps laid out as columns.

    A map with a reaction id is a row of its own (``collect({id: r.id, ...})``). A molecule in a row or map
    that names its role is in the column of that role. Paths are not read: they do not say which molecule has
    which role.
    """
    table = Table({column: column for column in columns})
    unnamed = {column for column in columns if not names_a_key(column)}
    for row in rows:
        shared: Cells = {}
        nested: list[Cells] = []
        cells = list(zip(columns, row if isinstance(row, list) else [row], strict=False))
        named = _by_role(table, {column: value for column, value in cells if column in unnamed})
        for column, value in cells:
            _read(table, named.get(column, column), value, shared, nested, 0)
        table.rows.extend([Row(shared, own) for own in nested] or [Row(shared)])
    return table


# What a role may look like; few molecules do.
_ROLE = re.compile(r"[A-Za-z][A-Za-z_ -]{1,39}")
_WORD = re.compile(r"[^\W_]+")


def _by_role(table: Table, unnamed: Mapping[str, JsonValue]) -> Mapping[str, str]:
    """Return the column of a role in place of a molecule's, for cells whose names mean no key.

    One of the cells holds the name of a key, others have the name of a molecule in any role.
    """
    if len(unnamed) < 2:
        return {}
    roles = {column: value for column, value in unnamed.items() if _is_role(value)}
    if len(roles) != 1:
        return {}
    ((role_column, role),) = roles.items()
    molecules = [column for column in unnamed if column != role_column and _is_molecule(column)]
    if not molecules:
        return {}
    table.laid_out |= {role_column, *molecules}
    named = {column: f"{column}[{role}]" for column in molecules}
    table.names.update(dict.fromkeys(named.values(), role))
    table.roles.update(named.values())
    return named


def _is_role(value: JsonValue) -> bool:
    if not isinstance(value, str) or _ROLE.fullmatch(value) is None:
        return False
    return listed(normalise(value), column_names().keys) is not None


@lru_cache(maxsize=4096)
def _is_molecule(column: str) -> bool:
    names = column_names()
    words = tuple(stem_name(normalise(column)).split("_"))
    last = _WORD.findall(column.lower())[-1:]
    return any(word in names.molecule_properties for word in last) or any(
        words[-len(tail) :] == tail for tail in names.molecule_words
    )


def _read(table: Table, column: str, value: JsonValue, cells: Cells, nested: list[Cells], depth: int) -> None:
    if value is None or depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            _read(table, column, item, cells, nested, depth + 1)
        return
    if isinstance(value, dict):
        entries = map_of(value)
        if entries is not None:
            _read_map(table, column, entries, cells, nested, depth)
            return
        if path_of(value) is not None:
            return
        node = node_of(value)
        atom = scalar_atom(value) if node is None else node_atom(node)
        if atom is None:
            return
    else:
        atom = scalar_atom(value)
    cells.setdefault(column, []).append(atom)


def _read_map(
    table: Table, column: str, entries: Mapping[str, JsonValue], cells: Cells, nested: list[Cells], depth: int
) -> None:
    if any(is_reaction_id(entry, value) for entry, value in entries.items()):
        cells = {}
        nested.append(cells)
    table.laid_out.add(column)
    properties = column_names().molecule_properties
    labels = {entry: f"{column}.{entry}" for entry in entries}
    for entry, label in labels.items():
        if label not in table.names:
            table.names[label] = table.names[column] if entry.lower() in properties else entry
    if column in table.roles:
        table.roles.update(labels.values())
    unnamed = {
        label: entries[entry] for entry, label in labels.items() if not names_a_key(table.names[label])
    }
    named = _by_role(table, unnamed)
    for entry, label in labels.items():
        _read(table, named.get(label, label), entries[entry], cells, nested, depth + 1)


def is_reaction_id(entry: str, value: JsonValue) -> bool:
    """Return whether a map's entry is the id of a reaction, or the Reaction node itself."""
    if resolve(plain_name(entry), ("id",)) is None:
        return False
    node = node_of(value)
    return type(node_atom(node)) is ReactionId if node is not None else whole_number(value) is not None


YIELD_KEY = "target_yield"
YIELD_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives and false negatives of one or several keys."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        """Pool two counts."""
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def empty(self) -> bool:
        """Whether both sides are empty."""
        return self.tp == self.fp == self.fn == 0

    @property
    def right(self) -> bool:
        """Whether both sides are equal."""
        return self.fp == self.fn == 0

    @property
    def precision(self) -> float:
        """TP ÷ (TP + FP), in [0, 1]; 0 where nothing was returned, 1 where both sides are empty."""
        return _share(self.tp, self.tp + self.fp, self.empty)

    @property
    def recall(self) -> float:
        """TP ÷ (TP + FN), in [0, 1]; 1 where both sides are empty."""
        return _share(self.tp, self.tp + self.fn, self.empty)

    @property
    def f1(self) -> float:
        """2 TP ÷ (2 TP + FP + FN), in [0, 1]; 1 where both sides are empty."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn, self.empty)


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1 of a precision and a recall, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def compare(key: str, returned: Iterable[Atom], gold: Iterable[Atom]) -> Counts:
    """Compare two sets of values of one key; yields within 1e-6, all else by equality."""
    returned, gold = set(returned), set(gold)
    return _compare_yields(returned, gold) if key == YIELD_KEY else compare_sets(returned, gold)


def compare_sets(returned: Set[Hashable], gold: Set[Hashable]) -> Counts:
    """Compare two sets by equality."""
    both = len(returned & gold)
    return Counts(both, len(returned) - both, len(gold) - both)


def _compare_yields(returned: set[Atom], gold: set[Atom]) -> Counts:
    left, right = _yields(returned), _yields(gold)
    i = j = matched = 0
    while i < len(left[0]) and j < len(right[0]):
        difference = left[0][i] - right[0][j]
        if abs(difference) <= YIELD_TOLERANCE:
            matched, i, j = matched + 1, i + 1, j + 1
        elif difference < 0:
            i += 1
        else:
            j += 1
    matched += len(left[1] & right[1])
    return Counts(matched, len(left[0]) + len(left[1]) - matched, len(right[0]) + len(right[1]) - matched)


def _yields(values: set[Atom]) -> tuple[list[float], set[Atom]]:
    """Split into ascending yields, near-equal ones once, and values that are no number."""
    numbers, others = [], set()
    for value in values:
        number = _number(value)
        if number is None:
            others.add(value)
        else:
            numbers.append(number)
    kept: list[float] = []
    for number in sorted(numbers):
        if not kept or number - kept[-1] > YIELD_TOLERANCE:
            kept.append(number)
    return kept, others


def _number(value: Atom) -> float | None:
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _share(part: int, whole: int, empty: bool) -> float:
    if empty:
        return 1.0
    return part / whole if whole else 0.0
