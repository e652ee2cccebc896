"""``retrocypher graph audit``, ``apply`` and ``revert``: conflicts of a graph, and versions of it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from retrocypher.kg.audit.declared import DECLARED_RULES, audit_suite
from retrocypher.kg.audit.finding import AUDIT_RULES, EVIDENCE_RULES, AuditRule, GraphAudit, RuleFindings
from retrocypher.kg.audit.rules import audit_reactions
from retrocypher.kg.audit.suggestions import Suggestion
from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.compact import read_evidence
from retrocypher.kg.graph.compact import read_disputed, read_graph, read_manifest
from retrocypher.kg.graph.passages import graph_fingerprint, procedure_texts
from retrocypher.kg.paths import write_whole
from retrocypher.kg.resolution.proposal import (
    RESOLVABLE,
    Strategy,
    Thresholds,
    find_conflicts,
    propose,
    write_proposal,
)
from retrocypher.kg.resolution.versions import Change, apply_proposal, origin_of, revert, settled_in
from retrocypher.kg.suites.suite import SUITE_FILE, read_suite, suite_folder
from retrocypher.plugins.cli.console import (
    EXISTING_FILE,
    EXISTING_FOLDER,
    FILE,
    FOLDER,
    SHARE,
    built_graph_option,
    emit,
    json_option,
    needs,
)
from retrocypher.plugins.cli.suite_generate import read_suite_graph
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.html.rendering import page

_LIMIT = re.compile(r"(?P<name>\w+)>(?P<most>\d{1,9})")
_EXAMPLES = 3
_ON_PAGE = 200
"""Findings of a rule that are printed, and that the page lists; JSON has all."""


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
@click.option("--html", metavar="FILE", type=FILE, help="Write the findings as an HTML page.")
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
    html: Path | None,
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
    needs("--proposal FILE", "keep_confidence", "keep_evidence", "temporal")
    is_default = suite is None and read_manifest(folder)["fingerprint"] == graph_fingerprint()
    rules = {**AUDIT_RULES, **EVIDENCE_RULES} if is_default else DECLARED_RULES if suite else AUDIT_RULES
    accepted = {each: _limit(each, rules) for each in limits}
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
            disputed = [one for each in found.rules if each.rule in RESOLVABLE for one in each.findings]
            conflicts = find_conflicts(reactions, disputed, texts, records)
            thresholds = Thresholds(keep_confidence, keep_evidence, temporal)
            written = propose(read_manifest(folder)["fingerprint"], conflicts, thresholds)
            write_proposal(proposal, written)
            proposed = Counter(each.strategy for each in written.conflicts)
    if html is not None:
        write_whole(html, page("audit.html", f"Audit of {name}", audit=found, most=_ON_PAGE))
    counts = {each.rule: each.count for each in found.rules}
    totals = {limit: sum(counts[rule] for rule in named) for limit, (named, _) in accepted.items()}
    failed = [limit for limit, (_, most) in accepted.items() if totals[limit] > most]
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
        *(line for each in found.rules for line in _lines(each)),
        *_suggested(found.suggestions),
        *([_proposed(proposal, proposed)] if proposal is not None and proposed is not None else []),
        *([f"page: {html}"] if html is not None else []),
        *(f"failed: {each} ({totals[each]:,} found)" for each in failed),
    )
    context.exit(1 if failed else 0)


def _suite_audit(name: str) -> GraphAudit:
    folder = suite_folder(name)
    suite = read_suite(folder)
    if suite.generation is None:
        raise InputError(
            f"--suite {name}: the entry generation of its {SUITE_FILE}, which `retrocypher suite generate` "
            "proposes, declares nothing. If its graph is one of reactions, audit it with --graph DIR."
        )
    graph, *_ = read_suite_graph(suite.graph.uri or str(folder / str(suite.graph.file)), folder)
    return audit_suite(graph, suite.generation)


def _suggested(found: Sequence[Suggestion]) -> list[str]:
    lines = []
    for each in found:
        share = f"{each.count / each.of:.0%} of {each.of:,} {_OF[each.place]}"
        lines.append(f"{each.count:>7,}  {each.name}: {share}, such as {', '.join(each.examples[:3])}")
    return ["frequent in the graph, and not named by its schema:", *lines] if lines else []


_NAMES = {"texts": "procedure texts"}
_OF = {"USES_AGENT": "agents", "Reaction": "procedure texts"}


def _limit(text: str, known: Mapping[str, AuditRule]) -> tuple[list[str], int]:
    """Return the rules that a limit is about, and how many findings it accepts."""
    match = _LIMIT.fullmatch(text.replace(" ", ""))
    rules = [rule for rule, about in known.items() if match and match["name"] in (rule, about.kind)]
    if match is None or not rules:
        if match and match["name"] in {*EVIDENCE_RULES, *(each.kind for each in EVIDENCE_RULES.values())}:
            raise InputError(f"--fail-on {text!r}: only the default graph has evidence; leave it out.")
        kinds = dict.fromkeys(each.kind for each in known.values())
        raise InputError(
            f"--fail-on {text!r}: expected RULE>N, such as conflict>0, with one of "
            f"{', '.join([*kinds, *known])}."
        )
    return rules, int(match["most"])


def texts_of(folder: Path | None) -> dict[int, str]:
    """Return the procedure texts of a graph by reaction: those of the default graph and its versions."""
    return procedure_texts() if origin_of(folder) == graph_fingerprint() else {}


def _proposed(file: Path, by_strategy: Counter[Strategy]) -> str:
    decided = ", ".join(f"{count} by {name}" for name, count in by_strategy.items() if name != "review")
    total = counted(by_strategy.total(), "decision")
    return f"{total} in {file}: {decided or '0 decided'}, {by_strategy['review']} left for review"


def _lines(results: RuleFindings) -> list[str]:
    lines = [f"{results.count:>7,}  {results.rule} ({results.kind}, {results.severity}): {results.meaning}"]
    # From all over the graph, the same each time.
    for each in results.findings[:: max(1, results.count // _EXAMPLES)][:_EXAMPLES]:
        several = "s" if len(each.reactions) > 1 else ""
        about = f"reaction{several} {', '.join(map(str, each.reactions))}: " if each.reactions else ""
        lines.append(f"         {about}{each.detail}")
    return lines


_out_option = click.option(
    "--out", metavar="DIR2", type=FOLDER, required=True, help="Folder of the new version, absent or empty."
)


@click.command("apply")
@click.argument("proposal", type=EXISTING_FILE)
@built_graph_option
@_out_option
@json_option
def apply_command(proposal: Path, folder: Path | None, out: Path, as_json: bool) -> None:
    """Make a new version of a graph as PROPOSAL, a file that `graph audit --proposal` wrote, decides.

    The graph itself is not changed. Entries left for review change nothing.
    """
    changes, left = apply_proposal(folder, proposal, texts_of(folder), out)
    _show(changes, out, as_json, f"{counted(left, 'conflict')} left for review", review=left)


@click.command("revert")
@click.argument("folder", metavar="DIR", type=EXISTING_FOLDER)
@_out_option
@json_option
def revert_command(folder: Path, out: Path, as_json: bool) -> None:
    """Make again the version before the last proposal that was applied to DIR, from its log."""
    changes = revert(folder, out)
    _show(changes, out, as_json, f"version {changes[0].undoes} undone", undoes=changes[0].undoes)


def _show(changes: Sequence[Change], out: Path, as_json: bool, note: str, **values: int | None) -> None:
    manifest = read_manifest(out)
    facts = {name: manifest[name] for name in ("parent", "fingerprint")}
    if manifest["parent"] == manifest["fingerprint"]:
        note += "; the content is as before, because the graph had these values"
    emit(
        as_json,
        {"folder": str(out), **facts, "version": changes[0].version, "changes": len(changes), **values},
        f"version {changes[0].version}: {counted(len(changes), 'change')}; {note}",
        *(f"{name:<11}  {value}" for name, value in facts.items()),
        f"written to {out}",
    )
