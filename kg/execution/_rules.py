"""The rules of the guard, as ``guard_rules.yaml`` states them."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import yaml


@dataclass(frozen=True, slots=True)
class GuardRules:
    """What a query may do.

    Attributes:
        longest_text: Most characters of a query that is sent at all.
        denied_operators: Patterns of plan operators that refuse a query.
        procedures: Procedures it may call, in lower case.
        functions: Functions with a dotted name that it may call, in lower case.
    """

    longest_text: int
    denied_operators: tuple[str, ...]
    procedures: frozenset[str]
    functions: frozenset[str]

    def denies(self, operator: str) -> bool:
        """Whether an operator of a plan refuses the query."""
        return any(fnmatchcase(operator, pattern) for pattern in self.denied_operators)


@cache
def guard_rules() -> GuardRules:
    """Return the shipped rules."""
    rules = yaml.safe_load(Path(__file__).with_name("guard_rules.yaml").read_text())
    return GuardRules(
        longest_text=rules["longest_text"],
        denied_operators=tuple(rules["denied_operators"]),
        procedures=frozenset(rules["procedures"]),
        functions=frozenset(rules["functions"]),
    )
