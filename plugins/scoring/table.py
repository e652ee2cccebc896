"""Values of a result row, read from the documented JSON form."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retrocypher.plugins.runs.record import JsonValue
from retrocypher.plugins.scoring.columns import column_names, plain_name, resolve

# Deeper nesting than any answer needs; what lies below is not read.
MAX_DEPTH = 50

Atom = str | int | float


class ReactionId(int):
    """The id of a Reaction node; equal to the same plain integer."""


def node_of(value: Any) -> Mapping[str, JsonValue] | None:
    """Return what a node value holds, None for any other value."""
    if isinstance(value, dict) and len(value) == 1 and "$node" in value:
        node = value["$node"]
        return node if isinstance(node, dict) else {}
    return None


def relationship_of(value: Any) -> Mapping[str, JsonValue] | None:
    """Return what a relationship value holds, None for any other value."""
    return _tagged(value, "$relationship")


def path_of(value: Any) -> Mapping[str, JsonValue] | None:
    """Return what a path value holds, None for any other value."""
    return _tagged(value, "$path")


def map_of(value: Any) -> Mapping[str, JsonValue] | None:
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


def may_hold(value: Any) -> bool:
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


def scalar_atom(value: Any) -> Atom:
    """Return a scalar as a value that hashes and compares as its Cypher value does."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    # true is not 1, and NaN must equal itself to be counted once.
    return json.dumps(value, sort_keys=True, default=str)


def whole_number(value: Any) -> int | None:
    """Return an integer given as such, as a float or as a string of digits; None for anything else."""
    if isinstance(value, int):
        return None if isinstance(value, bool) else value
    if isinstance(value, str):
        return int(value) if len(value) <= 18 and value.isascii() and value.isdigit() else None
    # Beyond 2**53 a float no longer tells one integer from the next.
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    return None


def atoms(value: Any, depth: int = 0) -> Iterator[Atom]:
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


def _tagged(value: Any, tag: str) -> Mapping[str, JsonValue] | None:
    if isinstance(value, dict) and len(value) == 1 and tag in value:
        return _mapping(value[tag])
    return None


def _mapping(value: Any) -> Mapping[str, JsonValue]:
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
        names: Column -> the name it is matched by. Entries of map values are columns of their own,
            called ``column.entry``.
        maps: Columns with map values.
        rows: The rows.
    """

    names: dict[str, str] = field(default_factory=dict)
    maps: set[str] = field(default_factory=set)
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


def read_table(columns: Sequence[str], rows: Iterable[Any]) -> Table:
    """Read a result: lists flattened, nulls left out, maps laid out as columns.

    A map with a reaction id of its own is a row of its own (``collect({id: r.id, ...})``). Path values
    are not read: they do not say which molecule has which role.
    """
    table = Table({column: column for column in columns})
    for row in rows:
        shared: Cells = {}
        nested: list[Cells] = []
        for column, value in zip(columns, row if isinstance(row, list) else [row], strict=False):
            _read(table, column, value, shared, nested, 0)
        table.rows.extend([Row(shared, own) for own in nested] or [Row(shared)])
    return table


def _read(table: Table, column: str, value: Any, cells: Cells, nested: list[Cells], depth: int) -> None:
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
    table.maps.add(column)
    properties = column_names().molecule_properties
    for entry, value in entries.items():
        label = f"{column}.{entry}"
        if label not in table.names:
            table.names[label] = table.names[column] if entry.lower() in properties else entry
        _read(table, label, value, cells, nested, depth + 1)


def is_reaction_id(entry: str, value: Any) -> bool:
    """Return whether a map's entry is the id of a reaction, or the Reaction node itself."""
    if resolve(plain_name(entry), ("id",)) is None:
        return False
    node = node_of(value)
    return type(node_atom(node)) is ReactionId if node is not None else whole_number(value) is not None
