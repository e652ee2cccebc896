"""The summary of a job in Markdown, as GitHub shows it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plugins.gate import Found, GateResult, RuleFinding, rule_line
from plugins.publishing._escape import escaped
from plugins.publishing._facts import Facts
from plugins.records import JUDGE_STAGE
from plugins.statistics import Change
from plugins.terminal import counted

_CHANGES = 10
_FILES = ("report.html", "summary.json", "records.jsonl", "manifest.json")


def job_summary(facts: Facts, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the sections of a job's summary, the most important first.

    Args:
        facts: What is told of the run.
        environment: Where GitHub says which run of a workflow this is.
    """
    yield "\n".join(_head(facts))
    if facts.gate is not None:
        yield "\n".join(_gate(facts.gate))
        for metric, rule in _changed(facts.gate.rules).items():
            yield "\n".join(_changes(metric, rule.changes, rule.changed))
    yield "\n".join(_files(facts, environment))
    yield "\n".join(_table(facts.summary))


def _head(facts: Facts) -> Iterator[str]:
    gate = facts.gate
    yield f"## RetroCypher{f': gate {gate.verdict.value}' if gate else ''}"
    yield ""
    f1, summary = facts.f1, facts.summary
    ends = "" if f1.low is None or f1.high is None else f" (95 % interval {f1.low:.3f} to {f1.high:.3f})"
    mean = "n/a" if f1.value is None else f"{f1.value:.3f}"
    yield f"Mean F1 **{mean}**{ends} over {counted(f1.n, 'case')} of {counted(f1.clusters, 'molecule')}."
    errors = summary["infrastructure_errors"]
    if errors:
        yield f"\n**Incomplete**: {counted(errors, 'case')} with an infrastructure error and no score."
    faults = summary["infrastructure_errors_by_stage"].get(JUDGE_STAGE, 0)
    if faults:
        yield f"\n**Incomplete**: {counted(faults, 'case')} whose judge could not be asked."
    yield ""


def _gate(gate: GateResult) -> Iterator[str]:
    yield "### Gate"
    yield ""
    if gate.reason:
        yield f"Refused: {escaped(gate.reason)}."
        yield ""
        return
    if gate.baseline:
        yield f"Measured against {escaped(gate.baseline)}."
        yield ""
    yield "| met | rule and what became of it |"
    yield "|---|---|"
    for each in gate.rules:
        yield f"| {'yes' if each.holds else '**no**'} | {escaped(rule_line(each))} |"
        if each.rule.by:
            yield from _slices(each)
    yield ""
    yield from (f"- {escaped(note)}" for each in gate.rules for note in each.notes)
    yield from (f"- {escaped(note)}" for note in gate.notes)
    yield ""


def _slices(finding: RuleFinding) -> Iterator[str]:
    for each in finding.slices:
        if each.found is not Found.HOLDS:
            labels = ", ".join(f"{name} {label}" for name, label in each.slice.items())
            told = each.estimate
            value = each.reason if told is None or told.value is None else f"{told.value:.3f}"
            if told is not None and told.low is not None:
                value += f" ({told.low:.3f} to {told.high:.3f})"
            yield f"| | {each.found.value}: {escaped(labels)}: {escaped(value)} |"


def _changed(rules: Sequence[RuleFinding]) -> dict[str, RuleFinding]:
    """Return for each score the rule that tells what changed: rules of one score tell the same."""
    told: dict[str, RuleFinding] = {}
    for each in rules:
        if each.changes:
            told.setdefault(each.rule.metric, each)
    return told


def _changes(metric: str, changes: Sequence[Change], changed: int) -> Iterator[str]:
    yield f"### Changed most ({escaped(metric)}, {changed:,} in all)"
    yield ""
    yield "| case | before | now |"
    yield "|---|--:|--:|"
    for each in changes[:_CHANGES]:
        yield f"| {escaped(each.case)} | {each.a:.3f} | {each.b:.3f} |"
    yield ""


def _files(facts: Facts, environment: Mapping[str, str]) -> Iterator[str]:
    yield "### Files"
    yield ""
    there = [name for name in _FILES if (facts.run / name).exists()]
    yield f"In {escaped(facts.run)}: {', '.join(map(escaped, there))}."
    server, repository, run = (
        environment.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID")
    )
    if server.startswith("https://") and repository and run.isdecimal():
        place = f"{server}/{repository}/actions/runs/{run}#artifacts"
        if re.fullmatch(r"[A-Za-z0-9:/._#-]+", place):
            yield f"Where the workflow uploads them, they are among [the artifacts of this run]({place})."
    yield ""


def _table(summary: Mapping[str, Any]) -> Iterator[str]:
    yield "### Scores"
    yield ""
    yield "| model | loop | prompt | shot | task | cases | P | R | F1 | passed | not run |"
    yield "|---|---|---|---|---|--:|--:|--:|--:|--:|--:|"
    for cell in summary["cells"]:
        names = (escaped(cell[name]) for name in ("model", "loop", "prompt", "shot", "task"))
        scores = (_score(cell["means"][name]) for name in ("precision", "recall", "f1"))
        counts = (f"{cell[name]:,}" for name in ("passed", "infrastructure_errors"))
        yield f"| {' | '.join((*names, format(cell['cases'], ','), *scores, *counts))} |"
    yield ""


def _score(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"
