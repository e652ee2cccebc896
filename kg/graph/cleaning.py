"""Cleaning the records of sources into reactions, with a report of what was dropped and changed."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.molecules import Canonicaliser
from retrocypher.kg.graph.reaction import MAX_PER_ROLE, Reaction, Record, Rules, Source

DROP_RULES = {
    "unreadable_record": "the record cannot be read as a reaction",
    "no_products": "no product",
    "unreadable_smiles": "a SMILES that RDKit cannot read",
    "no_reactants": "no reactant",
    "over_four": "more than four molecules in a role",
    "product_is_reactant": "a product that is also a reactant",
    "duplicate": "same molecules in every role as a kept reaction",
    "rare_molecule": "a molecule seen in too few reactions",
    "not_sampled": "not in the sample",
}
"""The rules that drop a record, in the order they are applied, with what they mean."""

CHANGES = {
    "repeated_molecule": "molecules named twice in one role, kept once",
    "impossible_valence": "molecules kept although RDKit does not accept their valence",
    "yield_out_of_range": "yields outside 0 to 100 made absent",
    "yield_bound": "yields that state only a bound, such as >99, made absent",
    "percent_sign": "yields with a percent sign, read without it",
    "unicode_blank": "SMILES with Unicode blanks at their ends, read without them",
}
"""What is changed in a record that is kept or dropped later; counted in values, not in records."""

_Key = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Drop:
    """One record that was left out: which rule, where it stands, and what was wrong in it."""

    rule: str
    file: str
    row: int
    detail: str = ""


@dataclass(slots=True)
class Report:
    """The records read and dropped, the values changed (`CHANGES`), and file and name of unread columns.

    ``highest_yield`` is the highest percentage of each file that has any. ``disputed`` has all records of
    the reactions with disputed yields, as reactions, by `key_of`.
    """

    read: int = 0
    drops: list[Drop] = field(default_factory=list)
    changes: Counter[str] = field(default_factory=Counter)
    ignored: set[tuple[str, str]] = field(default_factory=set)
    highest_yield: dict[str, float] = field(default_factory=dict)
    disputed: dict[_Key, list[Reaction]] = field(default_factory=dict)

    def dropped(self) -> dict[str, int]:
        """Return how many records each rule dropped, in the order of the rules, zeros included."""
        counts = Counter(drop.rule for drop in self.drops)
        return {rule: counts[rule] for rule in DROP_RULES}

    def changed(self) -> dict[str, int]:
        """Return how many values each change touched, zeros included."""
        return {name: self.changes[name] for name in CHANGES}

    def ignored_columns(self) -> dict[str, list[str]]:
        """Return the columns that were not read, sorted, by the file that has them."""
        columns: dict[str, list[str]] = {}
        for file, name in sorted(self.ignored):
            columns.setdefault(file, []).append(name)
        return columns

    def warnings(self) -> list[str]:
        """Return a sentence for each file whose yields look like fractions."""
        return [
            f"{file}: no yield is above 1. Yields are percentages, so 0.85 means 0.85 %. "
            "If these are fractions, multiply them by 100 and build again."
            for file, highest in self.highest_yield.items()
            if 0 < highest <= 1
        ]


def clean(records: Iterable[Record], rules: Rules, report: Report) -> list[Reaction]:
    """Return the reactions that the rules keep, numbered from 1 in the order of the records; fill the report.

    The rules apply in the order of `DROP_RULES`. Of duplicates the first with a yield is kept, else the
    first. Raise InputError if the sample asks for more reactions than the other rules keep.
    """
    canonicalise = Canonicaliser()
    kept: list[Reaction] = []
    for record in records:
        report.read += 1
        report.ignored.update((record.file, name) for name in record.ignored)
        report.changes.update(record.changes)
        try:
            kept.append(_reaction(record, canonicalise, report))
        except _FaultError as fault:
            report.drops.append(Drop(fault.rule, record.file, record.row, fault.detail))
    kept = _without_duplicates(kept, report)
    kept = _without_rare(kept, rules.min_count, report)
    if rules.sample is not None:
        kept = _sample(kept, rules.sample, rules.seed, report)
    return [replace(reaction, id=number) for number, reaction in enumerate(kept, start=1)]


def key_of(reaction: Reaction) -> _Key:
    """Return what makes two reactions duplicates: the molecules of every role, in no order."""
    return tuple(tuple(sorted(role)) for role in reaction.roles)


@dataclass(frozen=True, slots=True)
class _FaultError(Exception):
    rule: str
    detail: str


def _reaction(record: Record, canonicalise: Canonicaliser, report: Report) -> Reaction:
    if record.fault is not None:
        raise _FaultError("unreadable_record", record.fault)
    if not record.products:
        raise _FaultError("no_products", "")
    reactants, products, agents, solvents = (
        _molecules(role, canonicalise, report)
        for role in (record.reactants, record.products, record.agents, record.solvents)
    )
    if not reactants:
        raise _FaultError("no_reactants", "")
    roles = {"reactants": reactants, "products": products, "agents": agents, "solvents": solvents}
    for name, molecules in roles.items():
        if len(set(molecules)) > MAX_PER_ROLE:
            raise _FaultError("over_four", f"{len(set(molecules))} {name}")
    if unchanged := set(reactants) & set(products):
        raise _FaultError("product_is_reactant", min(unchanged))
    yields = _yields(products, record.yields, report)
    if known := [value for value in yields.values() if value is not None]:
        report.highest_yield[record.file] = max(*known, report.highest_yield.get(record.file, 0.0))
    report.changes["repeated_molecule"] += sum(len(role) - len(set(role)) for role in roles.values())
    return Reaction(
        id=0,
        reactants=tuple(dict.fromkeys(reactants)),
        products=tuple(yields),
        agents=tuple(dict.fromkeys(agents)),
        solvents=tuple(dict.fromkeys(solvents)),
        yields=tuple(yields.values()),
        source=Source(record.file, record.row, record.original, record.grant_date),
    )


def _molecules(written: tuple[str, ...], canonicalise: Canonicaliser, report: Report) -> tuple[str, ...]:
    molecules = []
    for smiles in written:
        canonical = canonicalise(smiles)
        if canonical is None:
            raise _FaultError("unreadable_smiles", smiles)
        report.changes["impossible_valence"] += not canonical.valence_accepted
        molecules.append(canonical.smiles)
    return tuple(molecules)


def _yields(
    products: tuple[str, ...], written: tuple[float | None, ...], report: Report
) -> dict[str, float | None]:
    """Return the yield of each product; of a product named twice the first that is known."""
    yields: dict[str, float | None] = dict.fromkeys(products)
    for product, value in zip(products, written, strict=False):
        # In parquet NaN means absent; the readers of text refuse it.
        if value is None or math.isnan(value):
            continue
        if not 0 <= value <= 100:
            report.changes["yield_out_of_range"] += 1
        elif yields[product] is None:
            yields[product] = value + 0.0  # which makes a float of an integer, and 0.0 of -0.0
    return yields


def _without_duplicates(reactions: list[Reaction], report: Report) -> list[Reaction]:
    groups: dict[_Key, list[Reaction]] = defaultdict(list)
    for reaction in reactions:
        groups[key_of(reaction)].append(reaction)
    chosen = {key: next(filter(_has_yield, group), group[0]) for key, group in groups.items()}
    report.disputed = {key: group for key, group in groups.items() if _are_disputed(group)}
    kept = []
    for reaction in reactions:
        key = key_of(reaction)
        if chosen[key] is reaction:
            kept.append(replace(reaction, yields_disputed=key in report.disputed))
        else:
            _drop(reaction, "duplicate", f"of {_place(chosen[key])}", report)
    return kept


def _are_disputed(duplicates: Sequence[Reaction]) -> bool:
    """Return whether records of one reaction give different yields of the same product."""
    known: dict[str, float] = {}
    for reaction in duplicates:
        for product, value in zip(reaction.products, reaction.yields, strict=True):
            if value is not None and known.setdefault(product, value) != value:
                return True
    return False


def _without_rare(reactions: list[Reaction], min_count: int, report: Report) -> list[Reaction]:
    """Drop reactions until every molecule left is in at least ``min_count`` of those left."""
    while min_count > 1:
        seen = Counter(molecule for reaction in reactions for molecule in reaction.molecules)
        kept = []
        for reaction in reactions:
            rare = sorted(m for m in reaction.molecules if seen[m] < min_count)
            if rare:
                _drop(reaction, "rare_molecule", rare[0], report)
            else:
                kept.append(reaction)
        if len(kept) == len(reactions):
            break
        reactions = kept
    return reactions


def _sample(reactions: list[Reaction], size: int, seed: int, report: Report) -> list[Reaction]:
    if size > len(reactions):
        raise InputError(
            f"A sample of {size} reactions was asked for, but the other rules keep only {len(reactions)}. "
            "Ask for fewer, or add a source."
        )

    # Ranked by a hash: the same on every Python version, and small samples lie within large ones.
    def rank(reaction: Reaction) -> bytes:
        return sha256(repr((seed, key_of(reaction))).encode()).digest()

    chosen = {id(reaction) for reaction in sorted(reactions, key=rank)[:size]}
    for reaction in reactions:
        if id(reaction) not in chosen:
            _drop(reaction, "not_sampled", "", report)
    return [reaction for reaction in reactions if id(reaction) in chosen]


def _has_yield(reaction: Reaction) -> bool:
    return any(value is not None for value in reaction.yields)


def _place(reaction: Reaction) -> str:
    return f"{reaction.source.file} row {reaction.source.row}" if reaction.source else ""


def _drop(reaction: Reaction, rule: str, detail: str, report: Report) -> None:
    if reaction.source is not None:
        report.drops.append(Drop(rule, reaction.source.file, reaction.source.row, detail))
