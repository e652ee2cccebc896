"""What a judge says of the cases of a run, beside what execution says."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from retrocypher.plugins.analysis.report_runs import ReportRun
from retrocypher.plugins.analysis.summary import Series
from retrocypher.plugins.judge.agreement import (
    Agreement,
    Disagreement,
    Rating,
    VariantAgreement,
    agreements,
    by_judge,
    disagreements,
    load_issues,
)
from retrocypher.plugins.runs.manifest import JudgeEntry
from retrocypher.plugins.statistics.intervals import Estimate, Resampler
from retrocypher.plugins.statistics.means import mean_of

if TYPE_CHECKING:
    from retrocypher.plugins.judge.stored_calibration import StoredCalibration

_TENTHS = 10
_DISAGREEMENTS = 10
_ALL = "all"


class SeriesRatings(Struct, frozen=True):
    """The ratings of one model and loop."""

    model: str
    loop: str
    mean: Estimate
    counts: list[int]
    """Cases by score in tenths, from 0 to 1."""


class TaskMeans(Struct, frozen=True):
    """Mean rating of a task, for each model and loop."""

    task: str
    means: list[Estimate]


class IssueCases(Struct, frozen=True):
    """How many rejected cases a stated issue has."""

    label: str
    counts: list[int]
    """Cases of each model and loop."""
    also: int
    """How many of these have the same label by execution."""


class JudgeCalibration(Struct, frozen=True):
    """The newest stored calibration of a judge, of one variant."""

    name: str
    made: str
    unjudged: float
    """Share of queries without a rating."""
    kappa: Estimate
    accepts: Estimate
    """Share of errors taken for right."""
    rejects: Estimate
    """Share of right queries taken for wrong."""
    by_error: list[tuple[str, Estimate]]
    """The first by kind of error, the highest first."""


class JudgeVariant(Struct, frozen=True):
    """The ratings of one judge, of queries with or without the reference."""

    judge: str
    criteria: str
    variant: str
    rows: list[tuple[str, Agreement]]
    """Agreement with execution: of all cases, then by task."""
    series: list[SeriesRatings]
    tasks: list[TaskMeans]
    rejected: list[int]
    """Rejected cases of each model and loop."""
    issues: list[IssueCases]
    """What the reasons of these name, the most frequent first."""
    disagreements: Sequence[Disagreement]
    """The cases whose rating is furthest from F1."""
    calibration: "JudgeCalibration | None" = None

    @property
    def overall(self) -> Agreement:
        """The agreement over all cases."""
        return self.rows[0][1]


def ratings(run: ReportRun, calibrations: Sequence["StoredCalibration"]) -> list[JudgeVariant]:
    """Return the ratings of each judge and variant."""
    resampler = Resampler()
    return [
        _variant(run, found, resampler, calibrations) for found in agreements(run.ratings, _DISAGREEMENTS)
    ]


def stored_calibrations(runs: Sequence[ReportRun], root: Path) -> list["StoredCalibration"]:
    """Return the stored calibrations below the project's folder, if any run has a judge.

    Raises InputError if one cannot be read.
    """
    if not any(run.ratings for run in runs):
        return []
    # Imported here: a report without a judge does not need what it loads.
    from retrocypher.plugins.judge.stored_calibration import load_calibrations

    return load_calibrations(root)


def _calibration(
    calibrations: Sequence["StoredCalibration"], judge: JudgeEntry | None, found: VariantAgreement
) -> JudgeCalibration | None:
    if not calibrations or judge is None or judge.criteria != found.criteria:
        return None
    from retrocypher.plugins.judge.stored_calibration import newest_of

    newest = newest_of(calibrations, judge, found.variant)
    if newest is None:
        return None
    rates = newest.rates[found.variant]
    by_error = sorted(rates.by_error.items(), key=lambda each: (-(each[1].value or 0.0), each[0]))
    return JudgeCalibration(
        name=newest.name,
        made=newest.made[:10],
        unjudged=newest.unjudged[found.variant],
        kappa=newest.kappa[found.variant],
        accepts=rates.false_accepts,
        rejects=rates.false_rejects,
        by_error=[(label, rate) for label, rate in by_error if rate.value is not None],
    )


def disputed(run: ReportRun) -> list[str]:
    """Return the ids of the cases that a report lists as disagreed on."""
    groups = by_judge(run.ratings).values()
    return list(
        dict.fromkeys(each.case_id for said in groups for each in disagreements(said, _DISAGREEMENTS))
    )


def _variant(
    run: ReportRun, found: VariantAgreement, resampler: Resampler, calibrations: Sequence["StoredCalibration"]
) -> JudgeVariant:
    ratings = by_judge(run.ratings)[found.judge, found.criteria, found.variant]
    by_series = {
        series: cases
        for series in run.series
        if (cases := [each for each in ratings if (each.model, each.loop) == series])
    }
    rejected, issues = _issues(by_series)
    return JudgeVariant(
        judge=found.judge,
        criteria=found.criteria,
        variant=found.variant,
        rows=[(_ALL, found.overall), *found.by_task.items()],
        series=[
            SeriesRatings(*series, _mean(cases, _ALL, resampler), _tenths(cases))
            for series, cases in by_series.items()
        ],
        tasks=[
            TaskMeans(task, [_mean(cases, task, resampler) for cases in by_series.values()])
            for task in (_ALL, *found.by_task)
        ],
        rejected=rejected,
        issues=issues,
        disagreements=found.disagreements,
        calibration=_calibration(calibrations, run.log.manifest.judge, found),
    )


def _tenths(cases: Sequence[Rating]) -> list[int]:
    counts = Counter(round(_TENTHS * each.score) for each in cases if each.score is not None)
    return [counts[place] for place in range(_TENTHS + 1)]


def _mean(cases: Sequence[Rating], task: str, resampler: Resampler) -> Estimate:
    scored = [each for each in cases if each.score is not None and task in (_ALL, each.task)]
    return mean_of([each.score or 0.0 for each in scored], [each.target for each in scored], resampler)


def _issues(by_series: Mapping[Series, Sequence[Rating]]) -> tuple[list[int], list[IssueCases]]:
    """Return how many cases are rejected, and what the reasons name: by model and loop."""
    known = load_issues()
    counts = [Counter[str]() for _ in by_series]
    also: Counter[str] = Counter()
    rejected = [0 for _ in by_series]
    for place, cases in enumerate(by_series.values()):
        for each in cases:
            if each.score is None or each.accepted:
                continue
            rejected[place] += 1
            named = known.of(each.reason)
            counts[place].update(named)
            also.update(label for label in named if label in each.labels)
    total = sum(counts, Counter[str]())
    labels = sorted(total, key=lambda label: (-total[label], label))
    return rejected, [IssueCases(label, [count[label] for count in counts], also[label]) for label in labels]
