"""Counts of the bank of known errors, by operator and by kind."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from retrocypher.kg.mutations.registry import OPERATORS
from retrocypher.plugins.judge.bank_candidates import BankEntry, BankManifest

COMPOSITIONS = "(compositions)"
"""Stands for all entries that several operators made together."""
OPERATOR_ROWS = (*OPERATORS, COMPOSITIONS)


class OperatorCounts(Struct, frozen=True):
    """The entries of one operator, and its mutants that were dropped."""

    entries: int
    held_out: int
    by_task: dict[str, int]
    dropped: dict[str, int]
    """Dropped mutants by reason."""


class BankCounts(Struct, frozen=True):
    """The entries of a bank by operator, as ``retrocypher bank show --json`` prints them."""

    entries: int
    by_kind: dict[str, int]
    held_out: int
    held_out_operators: list[str]
    operators: dict[str, OperatorCounts]


def bank_counts(entries: Iterable[BankEntry], manifest: BankManifest) -> BankCounts:
    """Count the entries of both parts of a bank."""
    kinds, held_out = Counter[str](), Counter[str]()
    by_task: dict[str, Counter[str]] = {}
    for entry in entries:
        name = _row_of(entry.operator)
        kinds[entry.kind] += 1
        held_out[name] += entry.held_out
        by_task.setdefault(name, Counter())[entry.task] += 1
    return BankCounts(
        entries=kinds.total(),
        by_kind=dict(kinds),
        held_out=held_out.total(),
        held_out_operators=manifest.held_out_operators,
        operators={
            name: OperatorCounts(
                entries=by_task.get(name, Counter()).total(),
                held_out=held_out[name],
                by_task=dict(by_task.get(name, Counter())),
                dropped=dropped_mutants(manifest, name),
            )
            for name in OPERATOR_ROWS
            if name in by_task or dropped_mutants(manifest, name)
        },
    )


def dropped_mutants(manifest: BankManifest, row: str) -> dict[str, int]:
    """Return the dropped mutants of one of `OPERATOR_ROWS` by reason."""
    return manifest.dropped.get("composition" if row == COMPOSITIONS else row, {})


def drop_reasons(manifest: BankManifest) -> Counter[str]:
    """Return the dropped mutants of all operators by reason."""
    return sum(map(Counter, manifest.dropped.values()), Counter[str]())


class KindTotals(Struct, frozen=True):
    """The entries of one kind."""

    entries: int
    operators: int
    """Number of operators that made them; all compositions are one."""


class BankTotals(Struct, frozen=True):
    """The entries of a bank by kind."""

    entries: int
    held_out: int
    kinds: dict[str, KindTotals]


def bank_totals(entries: Iterable[BankEntry]) -> BankTotals:
    """Count entries by kind."""
    kinds, held_out = Counter[str](), 0
    operators: dict[str, set[str]] = {}
    for entry in entries:
        kinds[entry.kind] += 1
        held_out += entry.held_out
        operators.setdefault(entry.kind, set()).add(_row_of(entry.operator))
    totals = {kind: KindTotals(count, len(operators[kind])) for kind, count in kinds.items()}
    return BankTotals(kinds.total(), held_out, totals)


def _row_of(operator: str) -> str:
    return COMPOSITIONS if "+" in operator else operator
