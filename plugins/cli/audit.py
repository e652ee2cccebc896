"""``retrocypher graph audit``: conflicts and likely errors in a graph of reactions."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import click
from msgspec import Struct

from retrocypher.kg.audit.finding import AUDIT_RULES, Finding
from retrocypher.kg.audit.rules import audit
from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.compact import read_disputed, read_graph, read_manifest
from retrocypher.kg.graph.passages import build_passages, graph_fingerprint, open_passages
from retrocypher.kg.resolution.conflict import RESOLVABLE, Strategy, Thresholds, find_conflicts
from retrocypher.kg.resolution.proposal import propose, write_proposal
from retrocypher.kg.resolution.versions import origin_of
from retrocypher.plugins.cli.console import FILE, emit, json_option
from retrocypher.plugins.formatting.text import counted

_LIMIT = re.compile(r"(?P<name>\w+)>(?P<most>\d{1,9})")


class RuleFindings(Struct, frozen=True):
    """What one rule found."""

    rule: str
    kind: str
    severity: str
    meaning: str
    count: int
    findings: list[Finding]
    """All of them, by the first reaction."""


class Limit(Struct, frozen=True):
    """How many findings of a rule, or of all rules of a kind, are accepted."""

    text: str
    rules: list[str]
    most: int


@click.command("audit")
@click.option(
    "--graph",
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Graph built by `retrocypher graph build` (default: the default graph).",
)
@click.option(
    "--fail-on",
    "limits",
    metavar="RULE>N",
    multiple=True,
    help="Exit with 1 if a rule, or all rules of a kind, find more than N; repeatable.",
)
@click.option(
    "--examples", type=click.IntRange(0), default=3, show_default=True, help="Findings of each rule to print."
)
@click.option(
    "--proposal",
    metavar="FILE",
    type=FILE,
    help="Write the conflicts with proposed decisions to a new YAML file, for `graph apply`.",
)
@click.option(
    "--keep-confidence",
    metavar="C",
    type=click.FloatRange(0, 1),
    default=0.85,
    show_default=True,
    help="Propose to keep the most confident yield if its confidence is above C.",
)
@click.option(
    "--keep-evidence",
    metavar="N",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="Otherwise propose to keep the value that most sources name, if more than N do.",
)
@click.option(
    "--temporal",
    metavar="RULE",
    type=click.Choice(RESOLVABLE),
    multiple=True,
    help="Otherwise propose to keep the latest value of conflicts that RULE finds; repeatable.",
)
@json_option
@click.pass_context
def audit_command(
    context: click.Context,
    folder: Path | None,
    limits: tuple[str, ...],
    examples: int,
    proposal: Path | None,
    keep_confidence: float,
    keep_evidence: int,
    temporal: tuple[str, ...],
    as_json: bool,
) -> None:
    """Look for conflicts, duplicates, unbalanced reactions and impossible values in a graph.

    The graph is not changed. Procedure texts are known only for the default graph and its versions. The exit
    status is 0, or 1 if more is found than --fail-on accepts.
    """
    accepted = [_limit(each) for each in limits]
    if proposal is not None and proposal.exists():
        # A person may have edited it.
        raise InputError(f"--proposal {proposal}: exists already. Delete it, or name another file.")
    reactions = read_graph(folder)
    texts, records = texts_of(folder), read_disputed(folder)
    by_rule: dict[str, list[Finding]] = defaultdict(list)
    for found in audit(reactions, texts, records):
        by_rule[found.rule].append(found)
    results = [
        RuleFindings(name, rule.kind, rule.severity, rule.meaning, len(by_rule[name]), by_rule[name])
        for name, rule in AUDIT_RULES.items()
    ]
    counts = Counter({each.rule: each.count for each in results})
    proposed = None
    if proposal is not None:
        findings = [found for rule in RESOLVABLE for found in by_rule[rule]]
        conflicts = find_conflicts(reactions, findings, texts, records)
        thresholds = Thresholds(keep_confidence, keep_evidence, frozenset(temporal))
        written = propose(read_manifest(folder)["fingerprint"], conflicts, thresholds)
        write_proposal(proposal, written)
        proposed = Counter(each.strategy for each in written.conflicts)
    failed = [each.text for each in accepted if sum(counts[rule] for rule in each.rules) > each.most]
    emit(
        as_json,
        {
            "reactions": len(reactions),
            "texts": len(texts),
            "rules": results,
            "proposed": proposed,
            "failed": failed,
        },
        f"{counted(len(reactions), 'reaction')}, {counted(len(texts), 'procedure text')}",
        *(line for each in results for line in _lines(each, examples)),
        *(_proposed(proposal, proposed) if proposal is not None and proposed is not None else ()),
        *(f"failed: {each}" for each in failed),
    )
    context.exit(1 if failed else 0)


def _limit(text: str) -> Limit:
    match = _LIMIT.fullmatch(text.replace(" ", ""))
    name = match["name"] if match else ""
    rules = [rule for rule, about in AUDIT_RULES.items() if name in (rule, about.kind)]
    if match is None or not rules:
        kinds = dict.fromkeys(each.kind for each in AUDIT_RULES.values())
        raise InputError(
            f"--fail-on {text}: expected RULE>N with one of {', '.join([*kinds, *AUDIT_RULES])}, "
            "such as conflict>0."
        )
    return Limit(text, rules, int(match["most"]))


def texts_of(folder: Path | None) -> dict[int, str]:
    """Return the procedure texts of a graph by reaction: those of the default graph and its versions."""
    if origin_of(folder) != graph_fingerprint():
        return {}
    with open_passages(build_passages()) as passages:
        return {each.reaction: each.text for each in passages}


def _proposed(file: Path, by_strategy: Counter[Strategy]) -> list[str]:
    decided = ", ".join(f"{count} by {name}" for name, count in by_strategy.items() if name != "review")
    return [
        f"{counted(by_strategy.total(), 'conflict')} in {file}: {decided or '0 decided'}, "
        f"{by_strategy['review']} left for review"
    ]


def _lines(results: RuleFindings, examples: int) -> list[str]:
    lines = [f"{results.count:>7,}  {results.rule} ({results.kind}, {results.severity}): {results.meaning}"]
    for each in _drawn(results.findings, examples):
        several = "s" if len(each.reactions) > 1 else ""
        lines.append(f"         reaction{several} {', '.join(map(str, each.reactions))}: {each.detail}")
    return lines


def _drawn(findings: Sequence[Finding], most: int) -> Sequence[Finding]:
    """Findings from all over the graph, the same each time."""
    if not most:
        return []
    step = max(1, len(findings) // most)
    return findings[::step][:most]
