"""Markdown tables in an answer."""

from dataclasses import dataclass
from typing import NamedTuple

_RULE = frozenset("|:- \t")


class Cell(NamedTuple):
    """Where a cell stands in the answer."""

    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the cells of its heading, and of each row."""

    heading: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


def table_at(lines: list[Cell], number: int, plain: str) -> tuple[Table, int] | None:
    """Return the table that begins at a line, and the number of the line after it; None where none does.

    Args:
        lines: Where the lines of the answer stand.
        number: The line.
        plain: The answer, its molecules masked.
    """
    if number + 1 >= len(lines):
        return None
    heading, rule = (plain[start:stop] for start, stop in lines[number : number + 2])
    if "|" not in heading or "|" not in rule or "-" not in rule or not _RULE.issuperset(rule):
        return None
    after = number + 2
    while after < len(lines) and "|" in plain[slice(*lines[after])]:
        after += 1
    rows = tuple(_cells(line, plain) for line in lines[number + 2 : after])
    return Table(_cells(lines[number], plain), rows), after


def _cells(line: Cell, plain: str) -> tuple[Cell, ...]:
    start, stop = line
    while start < stop and plain[start] in " \t|":
        if plain[start] == "|":
            start += 1
            break
        start += 1
    cells: list[Cell] = []
    position = start
    for place in range(start, stop):
        if plain[place] == "|":
            cells.append(Cell(position, place))
            position = place + 1
    if plain[position:stop].strip():
        cells.append(Cell(position, stop))
    return tuple(cells)
