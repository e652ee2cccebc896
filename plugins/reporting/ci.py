"""What CI services show of a run: the summary of a GitHub job, and properties in a JUnit file."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from _pytest.junitxml import LogXML, xml_key
from msgspec import Struct

from retrocypher.plugins.analysis.comparison import Change
from retrocypher.plugins.analysis.gate_decision import GateResult, RuleResult, RuleStatus
from retrocypher.plugins.analysis.scores import LeakMeans
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.numbers import score_name, three_digits, without_leaks
from retrocypher.plugins.reporting.text import rule_line
from retrocypher.plugins.runs.manifest import Manifest
from retrocypher.plugins.statistics.intervals import NO_ESTIMATE, Estimate

# A backslash or an entity escapes Markdown. It does not escape what GitHub replaces in the resulting text:
# $math$, :emoji:, @names, #1, GH-1, hashes of commits, addresses. A <span> tag around one of their characters
# does, as GitHub's documentation recommends for $. Unlike an invisible character, a tag is not copied with
# the text.
_READ = re.compile(
    r"(?P<entity>^ |[&<>])"
    r"|(?P<mark>[\\`*_\[\]|~]|^[+-])"
    r"|(?P<number>^[0-9]{1,9}[.)])"
    r"|(?P<sign>[$#@]|:(?=\S)|(?<=www)\.|(?<=gh)-(?=\d))"
    r"|(?P<hash>\b[0-9a-f]{7,40}\b)",
    re.IGNORECASE,
)
_SHORT = 6
"""Seven digits would be taken for the hash of a commit by GitHub."""


def escaped(text: object) -> str:
    """Return untrusted text for Markdown on GitHub, which shows and copies it unchanged, on one line."""
    plain = "".join(each if each.isprintable() else " " for each in str(text))
    return _READ.sub(_written, plain)


def _written(match: re.Match[str]) -> str:
    text = match[0]
    if match["entity"]:
        return f"&#{ord(text)};"
    if match["mark"]:
        return f"\\{text}"
    if match["number"]:
        return f"{text[:-1]}\\{text[-1]}"
    if match["sign"]:
        return _in_span(text)
    step = _SHORT + 1
    parts = (text[start : start + step] for start in range(0, len(text), step))
    return "".join(part[:_SHORT] + (_in_span(part[_SHORT]) if len(part) == step else "") for part in parts)


def _in_span(text: str) -> str:
    return f"<span>{text}</span>"


class Facts(Struct, frozen=True):
    """What a CI service shows of a run."""

    run: Path
    manifest: Manifest
    summary: Summary
    mean: Estimate
    """The mean over all cases of the score that decides whether a case passes."""
    leaks: LeakMeans | None
    """What exemplars give away, and that mean without it; None if nothing."""
    gate: GateResult | None


_CHANGES = 10
_FILES = ("report.html", "summary.json", "records.jsonl", "manifest.json")


def job_summary(facts: Facts, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield the sections of a job's summary, the most important first."""
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
    mean, summary = facts.mean, facts.summary
    ends = f" (95 % interval {mean.low:.3f} to {mean.high:.3f})" if mean.has_interval else ""
    cases = f"{counted(mean.n, 'case')} of {counted(mean.clusters, 'cluster')}"
    name = score_name(facts.manifest.headline)
    yield f"Mean {name} **{three_digits(mean.value)}**{ends} over {cases}."
    if facts.leaks is not None:
        without = without_leaks(facts.leaks, facts.manifest.headline)
        yield f"{without}: {three_digits(facts.leaks.without.value)}."
    if errors := summary.infrastructure_errors:
        yield f"\n**Incomplete**: {counted(errors, 'case')} with an infrastructure error and no score."
    if faults := summary.judge_faults:
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
    yield "| met | rule and outcome |"
    yield "|---|---|"
    for each in gate.rules:
        yield f"| {'yes' if each.holds else '**no**'} | {escaped(rule_line(each))} |"
        if each.by:
            yield from _slices(each)
    yield ""
    yield from (f"- {escaped(note)}" for each in gate.rules for note in each.notes)
    yield from (f"- {escaped(note)}" for note in gate.notes)
    yield ""


def _slices(result: RuleResult) -> Iterator[str]:
    for each in result.slices:
        if each.verdict is not RuleStatus.HOLDS:
            labels = ", ".join(f"{name} {label}" for name, label in each.slice.items())
            estimate = each.estimate or NO_ESTIMATE
            value = each.reason if estimate.value is None else three_digits(estimate.value)
            value += f" ({estimate.low:.3f} to {estimate.high:.3f})" if estimate.has_interval else ""
            yield f"| | {each.verdict.value}: {escaped(labels)}: {escaped(value)} |"


def _changed(rules: Sequence[RuleResult]) -> dict[str, RuleResult]:
    """Return for each score a rule with its changed pairs; all rules of a score have the same."""
    rules_by_metric: dict[str, RuleResult] = {}
    for each in rules:
        if each.changes:
            rules_by_metric.setdefault(each.metric, each)
    return rules_by_metric


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


def _table(summary: Summary) -> Iterator[str]:
    yield "### Scores"
    yield ""
    yield "| model | loop | prompt | shot | task | cases | P | R | F1 | passed | not run |"
    yield "|---|---|---|---|---|--:|--:|--:|--:|--:|--:|"
    for cell, group in summary.cells.items():
        scores = (three_digits(group.means[name].mean) for name in ("precision", "recall", "f1"))
        cells = (*map(escaped, cell), f"{group.cases:,}", *scores, f"{group.passed:,}", f"{group.errors:,}")
        yield f"| {' | '.join(cells)} |"
    yield ""


LIMIT = 1024 * 1024
"""Bytes that GitHub shows of the summary of one step; of a larger one it shows nothing."""

_VARIABLE = "GITHUB_STEP_SUMMARY"
_CUT = "\n*The rest is larger than GitHub shows; it is in the files of the run.*\n"


def job_summary_file(environment: Mapping[str, str]) -> Path | None:
    """Return the file that GitHub shows; None outside of GitHub Actions."""
    return Path(environment[_VARIABLE]) if environment.get(_VARIABLE) else None


def append_job_summary(file: Path, sections: Iterable[str]) -> None:
    """Append sections to the summary of a job, as many as GitHub shows; the others are left out."""
    room = LIMIT - (file.stat().st_size if file.exists() else 0) - len(_CUT.encode())
    text = b""
    for section in sections:
        lines = section.encode("utf-8", "backslashreplace") + b"\n"
        if len(text) + len(lines) > room:
            text += _CUT.encode() if room > 0 else b""
            break
        text += lines
    with file.open("ab") as out:
        out.write(text)


def writes_junit(config: pytest.Config) -> bool:
    """Return whether a session writes a JUnit file (``--junitxml``)."""
    return _log(config) is not None


def add_junit_properties(config: pytest.Config, facts: Facts) -> None:
    """Add the results of a run as properties to the session's JUnit file.

    Pytest's fixture ``record_testsuite_property`` does the same, but fixtures run in workers, which write no
    such file.
    """
    log = _log(config)
    if log is not None:
        for name, value in _properties(facts):
            log.add_global_property(f"retrocypher.{name}", value)


def _log(config: pytest.Config) -> LogXML | None:
    return config.stash.get(xml_key, None)


def _properties(facts: Facts) -> Iterator[tuple[str, str]]:
    manifest, summary = facts.manifest, facts.summary
    yield "run", str(facts.run)
    yield "models", ", ".join(model.label for model in manifest.models)
    yield "prompts", ", ".join(manifest.prompts)
    yield "shots", ", ".join(manifest.known_options.shot)
    yield "loops", ", ".join(manifest.loops.names)
    yield "graph_fingerprint", str(manifest.graph and manifest.graph.fingerprint)
    for name in ("cases", "passed", "failed", "infrastructure_errors"):
        yield name, str(getattr(summary, name))
    name, mean = facts.manifest.headline, facts.mean
    values = {name: mean.value, f"{name}_low": mean.low, f"{name}_high": mean.high}
    yield from ((name, f"{value:.6f}") for name, value in values.items() if value is not None)
    if facts.gate is not None:
        yield "gate", facts.gate.verdict.value
        if facts.gate.reason:
            yield "gate.reason", facts.gate.reason
        for number, rule in enumerate(facts.gate.rules, 1):
            yield f"gate.{number}", rule_line(rule)
