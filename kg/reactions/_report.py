"""What the cleaning did to the records, rule by rule."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

DROP_RULES = {
    "unreadable_record": "the record cannot be read as a reaction",
    "no_products": "no product",
    "unreadable_smiles": "a SMILES that RDKit cannot read",
    "no_reactants": "no reactant",
    "over_four": "more than four molecules in a role",
    "duplicate": "same molecules in every role as a kept reaction",
    "rare_molecule": "a molecule seen in too few reactions",
    "not_sampled": "not in the sample",
}
"""The rules that drop a record, in the order they are applied, with what they mean."""

CHANGES = {
    "repeated_molecule": "molecules named twice in one role, kept once",
    "impossible_valence": "molecules kept although RDKit does not accept their valence",
    "yield_out_of_range": "yields outside 0 to 100 made absent",
}
"""What is changed in a record that is kept or dropped later; counted in values, not in records."""


@dataclass(frozen=True, slots=True)
class Drop:
    """One record that was left out: which rule, where it stands, and what was wrong in it."""

    rule: str
    file: str
    row: int
    detail: str = ""


@dataclass(slots=True)
class Report:
    """Counts by rule, and each dropped record with its file and row.

    Attributes:
        read: Records read.
        drops: Records left out, in the order they were.
        changes: Values changed, by name (`CHANGES`).
        ignored: File and name of each column that is not read.
    """

    read: int = 0
    drops: list[Drop] = field(default_factory=list)
    changes: Counter[str] = field(default_factory=Counter)
    ignored: set[tuple[str, str]] = field(default_factory=set)

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

    def to_json(self) -> dict[str, Any]:
        """Return the counts as one JSON object."""
        return {
            "read": self.read,
            "dropped": self.dropped(),
            "changed": self.changed(),
            "ignored_columns": self.ignored_columns(),
        }
