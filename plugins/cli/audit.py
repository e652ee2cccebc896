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
from retrocypher.kg.graph.compact import read_graph, read_manifest
from retrocypher.kg.graph.passages import build_passages, graph_fingerprint, open_passages
from retrocypher.plugins.cli.console import emit, json_option
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
@json_option
@click.pass_context
def audit_command(
    context: click.Context, folder: Path | None, limits: tuple[str, ...], examples: int, as_json: bool
) -> None:
    """Look for conflicts, duplicates, unbalanced reactions and impossible values in a graph.

    Nothing is changed. Procedure texts are known for the default graph only. The exit status is 0, or 1 if
    more is found than --fail-on accepts.
    """
    accepted = [_limit(each) for each in limits]
    reactions = read_graph(folder)
    texts = _texts() if read_manifest(folder)["fingerprint"] == graph_fingerprint() else {}
    by_rule: dict[str, list[Finding]] = defaultdict(list)
    for found in audit(reactions, texts):
        by_rule[found.rule].append(found)
    results = [
        RuleFindings(name, rule.kind, rule.severity, rule.meaning, len(by_rule[name]), by_rule[name])
        for name, rule in AUDIT_RULES.items()
    ]
    counts = Counter({each.rule: each.count for each in results})
    failed = [each.text for each in accepted if sum(counts[rule] for rule in each.rules) > each.most]
    emit(
        as_json,
        {"reactions": len(reactions), "texts": len(texts), "rules": results, "failed": failed},
        f"{counted(len(reactions), 'reaction')}, {counted(len(texts), 'procedure text')}",
        *(line for each in results for line in _lines(each, examples)),
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


def _texts() -> dict[int, str]:
    with open_passages(build_passages()) as passages:
        return {each.reaction: each.text for each in passages}


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
