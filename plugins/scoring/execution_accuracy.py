"""Execution accuracy: whether two complete results are the same table.

Two results agree if the columns of one can be put in an order in which it holds the same rows as the other,
each as often. Names of columns do not matter. Where the gold is sorted, its rows form groups of equal sort
keys: the groups have to come in their order, and rows within one may permute. Two empty results agree.

The search matches one column after another. Each match splits the classes of rows that were alike so far; it
is given up where the classes of the two tables then differ in size. Equal columns are tried only once.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise

from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.execution.execution import HashedTable
from retrocypher.kg.execution.hashing import HASH_BYTES, Values
from retrocypher.kg.semantics.result_order import lists_are_ordered

MOST_STEPS = 20_000_000
"""Rows visited, over all columns tried, before a comparison is given up."""

_OVERHEAD = 20


def values_of(gold: ParsedQuery) -> Values:
    """Return how the values of results are compared with those of a gold query."""
    return "ordered_lists" if lists_are_ordered(gold) else "unordered_lists"


def same_table(
    gold: HashedTable, predicted: HashedTable, groups: Sequence[int] | None = None, *, extra: int = 0
) -> bool | None:
    """Return whether two complete results agree; None if the search takes too many steps.

    ``groups`` numbers the gold's rows by their sort keys, None where order does not count; the last ``extra``
    columns of the gold are not part of its result. Raise ValueError for a truncated result.
    """
    if gold.truncated or predicted.truncated:
        raise ValueError("only complete results can be compared")
    if gold.row_count != predicted.row_count:
        return False
    if gold.row_count == 0:
        return True
    if gold.width - extra != predicted.width:
        return False
    search = _Search(columns(gold)[: predicted.width], columns(predicted))
    return search.run(list(groups) if groups is not None else [0] * gold.row_count)


def columns(table: HashedTable) -> list[list[bytes]]:
    """Return the hashes of a result by column."""
    step = table.width * HASH_BYTES
    return [
        [table.hashes[place : place + HASH_BYTES] for place in range(start, len(table.hashes), step)]
        for start in range(0, step, HASH_BYTES)
    ]


def sorted_rows(table: HashedTable) -> list[tuple[bytes, ...]]:
    """Return the hashes of a result by row, those of each row sorted."""
    return _sorted_rows(columns(table))


def sort_groups(table: HashedTable, keys: Sequence[int]) -> list[int]:
    """Number the rows of a result so that neighbours with equal values in all key columns share a number."""
    found = columns(table)
    rows = list(zip(*(found[key] for key in keys), strict=True))
    numbers = [0] if rows else []
    for one, other in pairwise(rows):
        numbers.append(numbers[-1] + (one != other))
    return numbers


class _TooLong(Exception):  # noqa: N818 - a signal, not an error
    pass


class _Search:
    """Matches the columns of two tables with as many rows and columns."""

    def __init__(self, gold: list[list[bytes]], predicted: list[list[bytes]]) -> None:
        self._gold = gold
        self._predicted = predicted
        self._steps = 0

    def run(self, groups: list[int]) -> bool | None:
        try:
            # A row's values in any order stay the same whatever the order of columns.
            split = self._split(groups, groups, _sorted_rows(self._gold), _sorted_rows(self._predicted))
            return False if split is None else self._match(*split)
        except _TooLong:
            return None

    def _match(self, mine: list[int], theirs: list[int]) -> bool:
        signatures = [_signature(mine, column) for column in self._gold]
        candidates: dict[int, list[int]] = {}
        for number, column in enumerate(self._predicted):
            candidates.setdefault(_signature(theirs, column), []).append(number)
        if Counter(signatures) != Counter({key: len(found) for key, found in candidates.items()}):
            return False
        # Columns with the fewest candidates first: most have one, and then there is nothing to search.
        order = sorted(range(len(self._gold)), key=lambda number: len(candidates[signatures[number]]))
        choices = [(self._gold[number], candidates[signatures[number]]) for number in order]
        return self._assign(choices, mine, theirs, frozenset())

    def _assign(
        self,
        choices: list[tuple[list[bytes], list[int]]],
        mine: list[int],
        theirs: list[int],
        used: frozenset[int],
    ) -> bool:
        if not choices:
            return True
        (column, candidates), *rest = choices
        tried: list[list[bytes]] = []
        for number in candidates:
            other = self._predicted[number]
            if number in used or other in tried:
                continue
            tried.append(other)
            split = self._split(mine, theirs, column, other)
            if split is not None and self._assign(rest, *split, used | {number}):
                return True
        return False

    def _split(
        self, mine: list[int], theirs: list[int], column: Sequence[Hashable], other: Sequence[Hashable]
    ) -> tuple[list[int], list[int]] | None:
        """Split the classes of rows by a column of each table; None where the classes then differ in size."""
        self._steps += len(mine) + _OVERHEAD
        if self._steps > MOST_STEPS:
            raise _TooLong
        numbers: dict[tuple[int, Hashable], int] = {}
        split = [numbers.setdefault(key, len(numbers)) for key in zip(mine, column, strict=True)]
        known = [numbers.get(key, -1) for key in zip(theirs, other, strict=True)]
        return (split, known) if Counter(split) == Counter(known) else None


def _sorted_rows(table: list[list[bytes]]) -> list[tuple[bytes, ...]]:
    return [tuple(sorted(row)) for row in zip(*table, strict=True)]


def _signature(classes: list[int], column: list[bytes]) -> int:
    """The same number for columns that hold the same values in the same classes of rows."""
    return hash(frozenset(Counter(zip(classes, column, strict=True)).items()))
