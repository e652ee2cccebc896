"""``retrocypher graph audit``: conflicts and likely errors in a graph of reactions."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from click.core import ParameterSource
from msgspec import Struct

from retrocypher.kg.audit.declared import DECLARED_RULES
from retrocypher.kg.audit.finding import AUDIT_RULES, EVIDENCE_RULES, AuditRule, Finding
from retrocypher.kg.audit.suggestions import Suggestion
from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.compact import read_evidence
from retrocypher.kg.graph.compact import read_disputed, read_graph, read_manifest
from retrocypher.kg.graph.passages import graph_fingerprint, procedure_texts
from retrocypher.kg.resolution.conflict import RESOLVABLE, Strategy, Thresholds, find_conflicts
from retrocypher.kg.resolution.proposal import propose, write_proposal
from retrocypher.kg.resolution.versions import origin_of, settled_in
from retrocypher.kg.server.endpoint import connect
from retrocypher.kg.server.open import open_uri
from retrocypher.kg.suites.loading import export_graph
from retrocypher.kg.suites.simplekg import read_simplekg
from retrocypher.kg.suites.suite import SUITE_FILE, read_suite, suite_folder
from retrocypher.plugins.analysis.graph_audit import GraphAudit, RuleFindings, audit_reactions, audit_suite
from retrocypher.plugins.cli.console import FILE, SHARE, built_graph_option, emit, json_option
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.html.audit import write_audit

_OF_PROPOSAL = ("keep_confidence", "keep_evidence", "temporal")
_LIMIT = re.compile(r"(?P<name>\w+)>(?P<most>\d{1,9})")


class Limit(Struct, frozen=True):
    """How many findings of a rule, or of all rules of a kind, are accepted."""

    text: str
    rules: list[str]
    most: int


@click.command("audit")
@built_graph_option
@click.option(
    "--suite", metavar="NAME", help="Audit the graph of a suite against what its suite.yaml declares."
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
@click.option("--html", "page", metavar="FILE", type=FILE, help="Write the findings as an HTML page.")
@click.option(
    "--proposal",
    metavar="FILE",
    type=FILE,
    help="Write the conflicts with proposed decisions to a new YAML file, for `graph apply`.",
)
@click.option(
    "--keep-confidence",
    metavar="C",
    type=SHARE,
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
    suite: str | None,
    limits: tuple[str, ...],
    examples: int,
    page: Path | None,
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
    if suite is not None and (folder is not None or proposal is not None):
        raise InputError("--suite: audits the graph of the suite; leave out --graph and --proposal.")
    given = [each for each in _OF_PROPOSAL if context.get_parameter_source(each) != ParameterSource.DEFAULT]
    if given and proposal is None:
        raise InputError(
            f"--{given[0].replace('_', '-')}: has no effect without --proposal FILE. Leave it out, or add "
            "that."
        )
    is_default = suite is None and read_manifest(folder)["fingerprint"] == graph_fingerprint()
    rules = DECLARED_RULES if suite is not None else AUDIT_RULES
    accepted = [_limit(each, {**rules, **(EVIDENCE_RULES if is_default else {})}) for each in limits]
    if proposal is not None and proposal.exists():
        # A person may have edited it.
        raise InputError(f"--proposal {proposal}: exists already. Delete it, or name another file.")
    proposed = None
    if suite is not None:
        name, found = suite, _suite_audit(suite)
    else:
        name = "the default graph" if folder is None else str(folder)
        reactions, texts, records = read_graph(folder), texts_of(folder), read_disputed(folder)
        evidence = read_evidence(None, reactions) if is_default else None
        found = audit_reactions(reactions, texts, records, evidence, settled_in(folder))
        if proposal is not None:
            conflicts = find_conflicts(reactions, found.findings(RESOLVABLE), texts, records)
            thresholds = Thresholds(keep_confidence, keep_evidence, temporal)
            written = propose(read_manifest(folder)["fingerprint"], conflicts, thresholds)
            write_proposal(proposal, written)
            proposed = Counter(each.strategy for each in written.conflicts)
    if page is not None:
        write_audit(found, name, page)
    counts = Counter({each.rule: each.count for each in found.rules})
    totals = {each.text: sum(counts[rule] for rule in each.rules) for each in accepted}
    failed = [each.text for each in accepted if totals[each.text] > each.most]
    emit(
        as_json,
        {
            **found.size,
            "rules": found.rules,
            "suggestions": found.suggestions,
            "proposed": proposed,
            "failed": failed,
        },
        ", ".join(f"{count:,} {_NAMES.get(name, name)}" for name, count in found.size.items()),
        *(line for each in found.rules for line in _lines(each, examples)),
        *_suggested(found.suggestions),
        *([_proposed(proposal, proposed)] if proposal is not None and proposed is not None else []),
        *([f"page: {page}"] if page is not None else []),
        *(f"failed: {each} ({totals[each]:,} found)" for each in failed),
    )
    context.exit(1 if failed else 0)


def _suite_audit(name: str) -> GraphAudit:
    folder = suite_folder(name)
    suite = read_suite(folder)
    if suite.graph.reactions is not None:
        raise InputError(f"--suite {name}: its graph is one of reactions; audit it with --graph DIR.")
    if suite.generation is None:
        raise InputError(
            f"--suite {name}: its {SUITE_FILE} declares nothing to audit; `retrocypher suite generate` "
            "proposes the entry generation."
        )
    if suite.graph.file is not None:
        return audit_suite(read_simplekg(folder / suite.graph.file), suite.generation)
    endpoint = open_uri(str(suite.graph.uri))
    with connect(endpoint) as driver:
        return audit_suite(export_graph(driver, suite.name), suite.generation)


def _suggested(found: Sequence[Suggestion]) -> list[str]:
    lines = []
    for each in found:
        share = f"{each.count / each.of:.0%} of {each.of:,} {_OF[each.place]}"
        lines.append(f"{each.count:>7,}  {each.name}: {share}, such as {', '.join(each.examples[:3])}")
    return ["not named by the schema:", *lines] if lines else []


_NAMES = {"texts": "procedure texts"}
_OF = {"USES_AGENT": "agents", "Reaction": "procedure texts"}


def _limit(text: str, known: Mapping[str, AuditRule]) -> Limit:
    match = _LIMIT.fullmatch(text.replace(" ", ""))
    name = match["name"] if match else ""
    if name not in known and name in ("evidence", *EVIDENCE_RULES):
        raise InputError(f"--fail-on {text}: only the default graph has evidence. Leave it out.")
    rules = [rule for rule, about in known.items() if name in (rule, about.kind)]
    if match is None or not rules:
        kinds = dict.fromkeys(each.kind for each in known.values())
        raise InputError(
            f"--fail-on {text!r}: expected RULE>N, such as conflict>0, with one of "
            f"{', '.join([*kinds, *known])}."
        )
    return Limit(text, rules, int(match["most"]))


def texts_of(folder: Path | None) -> dict[int, str]:
    """Return the procedure texts of a graph by reaction: those of the default graph and its versions."""
    return procedure_texts() if origin_of(folder) == graph_fingerprint() else {}


def _proposed(file: Path, by_strategy: Counter[Strategy]) -> str:
    decided = ", ".join(f"{count} by {name}" for name, count in by_strategy.items() if name != "review")
    total = counted(by_strategy.total(), "conflict")
    return f"{total} in {file}: {decided or '0 decided'}, {by_strategy['review']} left for review"


def _lines(results: RuleFindings, examples: int) -> list[str]:
    lines = [f"{results.count:>7,}  {results.rule} ({results.kind}, {results.severity}): {results.meaning}"]
    for each in _drawn(results.findings, examples):
        several = "s" if len(each.reactions) > 1 else ""
        about = f"reaction{several} {', '.join(map(str, each.reactions))}: " if each.reactions else ""
        lines.append(f"         {about}{each.detail}")
    return lines


def _drawn(findings: Sequence[Finding], most: int) -> Sequence[Finding]:
    """Findings from all over the graph, the same each time."""
    if not most:
        return []
    step = max(1, len(findings) // most)
    return findings[::step][:most]
