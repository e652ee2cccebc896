"""A result read into rows of named, flat values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plugins.scoring._column_names import column_names, plain_name
from plugins.scoring._keys import resolve
from plugins.scoring._values import (
    MAX_DEPTH,
    Atom,
    ReactionId,
    map_of,
    node_atom,
    node_of,
    path_of,
    scalar_atom,
    whole_number,
)

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
    table: Table, column: str, entries: Mapping[str, Any], cells: Cells, nested: list[Cells], depth: int
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
