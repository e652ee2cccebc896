"""Whether the files of a run agree: a gate judges no run of which one was changed, replaced or lost."""

import math
from collections.abc import Iterator

from msgspec import UNSET

from retrocypher.kg.questions.question import Question
from retrocypher.plugins.analysis.group import Group
from retrocypher.plugins.analysis.scores import CaseScores, case_digest
from retrocypher.plugins.formatting.text import one_line
from retrocypher.plugins.runs.files import MANIFEST, QUESTIONS, RECORDS, REMEDY, SUMMARY
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import Manifest, conditions_sha256
from retrocypher.plugins.runs.record import Record
from retrocypher.plugins.runs.summary import GroupSummary, JudgeSummary, RunSummary, sorted_sha256

_OUTCOMES = ("passed", "failed", "infrastructure_errors")
_COUNTS = ("cases", "scored", *_OUTCOMES)
_TOLERANCE = 1e-9
"""Far more than the last digits of sums, far less than one case can change."""


class RunCheck:
    """Compares the records of a run, as they are read, with its other files."""

    def __init__(self, run: RunLog) -> None:
        self._run = run
        self._totals = Group()
        self._ids: list[str] = []
        self._digests: list[str] = []
        self._first = ""

    def add(self, record: Record, case: CaseScores, question: Question) -> None:
        """Add a record with its scores and its question."""
        self._totals.add(record, None)
        self._ids.append(record.case_id)
        self._digests.append(case_digest(record.case_id, case))
        if not self._first and (fault := next(_of_record(record, question, self._run.manifest), "")):
            self._first = f"{RECORDS}, case {one_line(record.case_id)}: {fault}"

    def fault(self, summary: RunSummary | None) -> str:
        """Return what does not agree and what to do, given the run's summary; empty if all does."""
        run = self._run
        if not run.has_manifest or summary is None:
            return f"{run}: there is no {SUMMARY if run.has_manifest else MANIFEST}; {REMEDY}"
        found = self._first or next(self._of_summary(summary), "") or next(self._of_manifest(summary), "")
        return f"{run}: {found}. The files are not those that one run left; {REMEDY}" if found else ""

    def _of_summary(self, summary: RunSummary) -> Iterator[str]:
        records = self._totals.summary()
        for name in _COUNTS:
            there, here = getattr(summary, name), getattr(records, name)
            if there != here:
                yield f"{SUMMARY} says {name} {there:,}, and {RECORDS} gives {here:,}"
        if summary.cases_sha256 is not UNSET and summary.cases_sha256 != sorted_sha256(self._ids):
            yield f"{SUMMARY} is of other cases than {RECORDS}: the hashes of their ids differ"
        for name, here in _means(records).items():
            there = _means(summary).get(name)
            # Summaries of earlier versions lack newer scores.
            if name in _means(summary) and not _same(there, here):
                yield f"{SUMMARY} says mean {name} {_shown(there)}, and {RECORDS} gives {_shown(here)}"
        if records.scored and "f1" not in summary.means:
            yield f"{SUMMARY} has no mean f1"
        if summary.scores_sha256 is not UNSET and summary.scores_sha256 != sorted_sha256(self._digests):
            yield f"{SUMMARY} is of other scores than {RECORDS}: the hashes of the scores differ"

    def _of_manifest(self, summary: RunSummary) -> Iterator[str]:
        manifest, lost = self._run.manifest, len(summary.lost_cases or ())
        if manifest.cases is not None and len(self._ids) > manifest.cases:
            yield f"{MANIFEST} plans {manifest.cases:,} cases, and {RECORDS} has {len(self._ids):,}"
        measured = summary.conditions_sha256
        if measured is not UNSET and measured != conditions_sha256(self._run.manifest_json):
            yield f"{MANIFEST} names other conditions than those that {SUMMARY} was made under"
        if counts := manifest.counts:
            pairs = {
                "planned": (counts.planned, manifest.cases),
                "selected": (counts.selected, summary.selected_cases),
                "run": (counts.run, len(self._ids)),
                "lost": (counts.lost, lost),
            }
            if manifest.rescored_from is UNSET:
                pairs |= {name: (getattr(counts, name), getattr(summary, name)) for name in _OUTCOMES}
            for name, (there, here) in pairs.items():
                if here is not None and here is not UNSET and there != here:
                    yield f"{MANIFEST} counts {there:,} cases as {name}, and the other files {here:,}"


def _means(of: GroupSummary) -> dict[str, float | None]:
    judge = of.judge or JudgeSummary()
    variants = {"judge": judge.with_reference, "judge.without_reference": judge.without_reference}
    return {**of.means, **{name: each.mean for name, each in variants.items()}}


def _same(there: float | None, here: float | None) -> bool:
    if there is None or here is None:
        return there is here
    return math.isclose(there, here, rel_tol=0, abs_tol=_TOLERANCE)


def _shown(mean: float | None) -> str:
    return "null" if mean is None else f"{mean:.9g}"


def _of_record(record: Record, question: Question, manifest: Manifest) -> Iterator[str]:
    """Yield what a record says otherwise than its question and the manifest."""
    if record.case_id != (made := _case_id(record)):
        yield f"its fields make the id {one_line(made)}"
    for name in ("task", "setting", "steps"):
        if getattr(record, name) != (other := getattr(question, name)):
            yield f"{name} is {getattr(record, name)}, and {other} in {QUESTIONS}"
    if record.phrasing == 1 and record.question != question.text:
        yield f"its question is another in {QUESTIONS}"
    known = {
        "model": [each.label for each in manifest.models],
        "prompt": manifest.prompts,
        "loop": manifest.loops.names,
    }
    for name, names in known.items():
        if getattr(record, name) not in names:
            yield f"{MANIFEST} has no {name} {one_line(getattr(record, name))}"
    yield from _of_judge(record, manifest)
    threshold, scores = manifest.known_options.case_threshold, record.scores
    headline = scores.value(manifest.headline) if scores else None
    if record.passed and threshold is not UNSET and (headline is None or headline < threshold - _TOLERANCE):
        yield f"it passed, and its {manifest.headline} is below the threshold {threshold:g}"


def _case_id(record: Record) -> str:
    phrasing = "" if record.phrasing == 1 else f"-w{record.phrasing}"
    repeat = "" if record.repeat == 1 else f"-r{record.repeat}"
    asked = "-".join((record.prompt, record.shot, record.loop, record.model))
    return f"{record.question_id}{phrasing}{repeat}-{asked}"


def _of_judge(record: Record, manifest: Manifest) -> Iterator[str]:
    judge, named = record.judge, manifest.judge
    if judge is None:
        return
    if named is None:
        yield f"it has judgements, and {MANIFEST} names no judge"
        return
    judgements = judge.judgements
    made_by = {(judge.model, judge.criteria), *((each.model, each.criteria) for each in judgements.values())}
    for label, criteria in sorted(made_by - {(named.model.label, named.criteria)}):
        yield (
            f"{one_line(label)} judged it by the criteria {one_line(criteria[:12])}, and {MANIFEST} names "
            f"{one_line(named.model.label)} with {one_line(named.criteria[:12])}"
        )
    for variant, each in judgements.items():
        if each.variant != variant:
            yield f"its judgement {variant} says that it is {each.variant}"
