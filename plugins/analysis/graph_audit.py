"""What an audit of a graph found, by rule, and what its schema could name."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

from msgspec import Struct

from retrocypher.kg.audit.declared import DECLARED_RULES, audit_declared
from retrocypher.kg.audit.finding import AUDIT_RULES, EVIDENCE_RULES, AuditRule, Finding
from retrocypher.kg.audit.rules import audit, audit_evidence
from retrocypher.kg.audit.suggestions import Suggestion, suggestions
from retrocypher.kg.evidence.evidence import Evidence
from retrocypher.kg.graph.reaction import Reaction, RecordYield
from retrocypher.kg.suites.graph import PropertyGraph
from retrocypher.kg.suites.suite import Generation


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


def audit_reactions(
    reactions: Sequence[Reaction],
    texts: Mapping[int, str],
    records: Mapping[int, Sequence[RecordYield]],
    evidence: Sequence[Evidence] | None,
    settled: Set[tuple[str, int]] = frozenset(),
) -> GraphAudit:
    """Audit a graph of reactions.

    Args:
        evidence: Of the default graph; None for another one.
        settled: Rules and reactions of conflicts that a person has decided; they are not found again.
    """
    findings = audit(reactions, texts, records)
    left = (each for each in findings if not all((each.rule, n) in settled for n in each.reactions))
    found = _by_rule(AUDIT_RULES, left)
    if evidence is not None:
        found += _by_rule(EVIDENCE_RULES, audit_evidence(evidence))
    size = {"reactions": len(reactions), "texts": sum(each.id in texts for each in reactions)}
    return GraphAudit(size, found, list(suggestions(reactions, texts)))


def audit_suite(graph: PropertyGraph, generation: Generation) -> GraphAudit:
    """Audit any property graph against what its suite declares."""
    size = {"nodes": len(graph.nodes), "relationships": len(graph.relationships)}
    return GraphAudit(size, _by_rule(DECLARED_RULES, audit_declared(graph, generation)), [])


def _by_rule(rules: Mapping[str, AuditRule], findings: Iterable[Finding]) -> list[RuleFindings]:
    by_rule: dict[str, list[Finding]] = defaultdict(list)
    for found in findings:
        by_rule[found.rule].append(found)
    return [
        RuleFindings(name, rule.kind, rule.severity, rule.meaning, len(by_rule[name]), by_rule[name])
        for name, rule in rules.items()
    ]
