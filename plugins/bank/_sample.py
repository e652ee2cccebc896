"""A small part of a bank, for tests that can neither build one nor wait."""

from collections import defaultdict
from collections.abc import Iterable

from plugins.bank._chance import shuffled
from plugins.bank._entry import BankEntry

_MOST_CHARACTERS = 20_000
"""Entries whose result is long make a sample large and tell no more than others."""


def sample(entries: Iterable[BankEntry], per_operator: int, seed: int = 0) -> tuple[BankEntry, ...]:
    """Return a few entries of each operator, of as many tasks as there are, in their original order.

    Compositions count as one operator for each number of operators composed, and give ten times as many.

    Args:
        entries: A bank, or a part of one.
        per_operator: How many entries of each operator.
        seed: Seed of the choice.
    """
    every = [entry for entry in entries if len(str(entry.execution)) < _MOST_CHARACTERS]
    groups: dict[str, dict[str, list[BankEntry]]] = defaultdict(lambda: defaultdict(list))
    for entry in every:
        groups[_group(entry)][entry.task].append(entry)
    chosen: set[int] = set()
    for name, by_task in groups.items():
        wanted = per_operator * (10 if name.startswith("+") else 1)
        queues = [shuffled(by_task[task], seed, name, task) for task in shuffled(by_task, seed, name)]
        for turn in range(max(map(len, queues))):
            for queue in queues:
                if turn < len(queue) and wanted > 0:
                    chosen.add(id(queue[turn]))
                    wanted -= 1
    return tuple(entry for entry in every if id(entry) in chosen)


def _group(entry: BankEntry) -> str:
    composed = entry.operator.count("+")
    return f"+{composed}" if composed else entry.operator
