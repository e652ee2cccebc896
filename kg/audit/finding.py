"""What an audit finds, by the rules that find it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from retrocypher.kg.audit.suggestions import Suggestion

Kind = Literal["conflict", "duplicate", "unbalanced", "invalid", "evidence"]
Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class AuditRule:
    """A rule of the audit.

    Attributes:
        severity: ``error`` if one of the values must be wrong, ``warning`` if it often is.
        meaning: What it finds, as part of a sentence.
    """

    kind: Kind
    severity: Severity
    meaning: str


AUDIT_RULES: Mapping[str, AuditRule] = {
    "record_yields": AuditRule(
        "conflict", "error", "records of one reaction give different yields of the same product"
    ),
    "text_yield": AuditRule(
        "conflict", "warning", "the procedure text states one yield, and it is not that of the record"
    ),
    "two_roles": AuditRule(
        "conflict", "warning", "a molecule has two of the roles reactant, product, agent and solvent"
    ),
    "product_is_reactant": AuditRule("conflict", "error", "a product is also a reactant"),
    "same_but_salt": AuditRule(
        "duplicate", "warning", "reactions that differ only in charge or in what makes a salt or hydrate"
    ),
    "same_but_stereo": AuditRule("duplicate", "warning", "reactions that differ only in stereochemistry"),
    "same_but_tautomer": AuditRule("duplicate", "warning", "reactions that differ only in tautomers"),
    "element_not_supplied": AuditRule(
        "unbalanced", "error", "a product has an element that no other molecule of the reaction has"
    ),
    "atoms_not_supplied": AuditRule(
        "unbalanced", "warning", "a product has more atoms of an element than all other molecules together"
    ),
    "yield_out_of_range": AuditRule("invalid", "error", "a yield is not from 0 to 100 %"),
    "yields_over_100": AuditRule("invalid", "warning", "the yields of all products exceed 100 % together"),
    "impossible_valence": AuditRule("invalid", "warning", "RDKit does not accept the valence of a molecule"),
}
"""The rules by name, in the order of the report."""


EVIDENCE_RULES: Mapping[str, AuditRule] = {
    "source_differs": AuditRule(
        "evidence", "warning", "another source contradicts a relationship or a yield of the record"
    ),
    "never_checked": AuditRule(
        "evidence", "warning", "no source but the record speaks of a relationship or a yield"
    ),
}
"""The rules over the evidence of the default graph. Their findings come by grant month, the oldest first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a rule found.

    Attributes:
        reactions: The reactions it is about; of duplicates all of them.
        detail: The values at issue, such as the molecule and its roles.
    """

    rule: str
    reactions: tuple[int, ...]
    detail: str


class RuleFindings(Struct, frozen=True):
    """What one rule found."""

    rule: str
    kind: str
    severity: str
    meaning: str
    count: int
    findings: list[Finding]
    """All of them, by the first reaction."""


class GraphAudit(Struct, frozen=True):
    """What an audit of a graph found."""

    size: dict[str, int]
    """What was looked at, by name."""
    rules: list[RuleFindings]
    suggestions: list[Suggestion]
    """What is frequent in the graph, and not named by its schema."""


def by_rule(rules: Mapping[str, AuditRule], findings: Iterable[Finding]) -> list[RuleFindings]:
    """Return what each of some rules found."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for each in findings:
        found[each.rule].append(each)
    return [
        RuleFindings(name, rule.kind, rule.severity, rule.meaning, len(found[name]), found[name])
        for name, rule in rules.items()
    ]
