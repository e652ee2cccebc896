"""All numbers of a report, computed from loaded runs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import task_place
from retrocypher.plugins.analysis.comparison import (
    Change,
    Comparison,
    compare,
    compare_runs,
)
from retrocypher.plugins.analysis.gold_confidence import GoldNumbers, gold_numbers
from retrocypher.plugins.analysis.ledger import LedgerEntry
from retrocypher.plugins.analysis.model_results import ModelResult, called_models
from retrocypher.plugins.analysis.report_runs import ReportRun
from retrocypher.plugins.analysis.report_scores import (
    Cloud,
    Headline,
    SeriesAnswers,
    SeriesBoxes,
    SeriesErrors,
    SeriesKeys,
    SeriesMetrics,
    SeriesScores,
    answers,
    boxes,
    clouds,
    errors,
    headlines,
    keys,
    more_metrics,
    scores,
    validity,
)
from retrocypher.plugins.analysis.run_scores import read_scores
from retrocypher.plugins.analysis.scores import Means, MetricValidity, ScoreTable
from retrocypher.plugins.analysis.summary import Series
from retrocypher.plugins.analysis.variation import Variation
from retrocypher.plugins.formatting.text import counted
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
from retrocypher.plugins.runs.record import RETRIEVAL_METRICS
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import mean_of
from retrocypher.plugins.statistics.paired import PairedComparison

_WITHIN = ("model", "loop", "shot", "prompt")
_CHANGES = 10


class ReportComparison(Struct, frozen=True, kw_only=True):
    """B against A."""

    about: str
    """What differs: `run`, or a dimension."""
    model: str = ""
    """Whose completions these are, within one run; empty for several models."""
    a: str
    b: str
    refused: str = ""
    """Why there is no comparison; empty if there is one."""
    rows: Sequence[PairedComparison] = ()
    """All pairs first, then by task."""
    together: str = ""
    """In what else the pooled cases differ, in words; empty if in nothing."""
    against: Sequence[str] = ()
    """What should be the same in both and is not."""
    comparison: Comparison | None = None
    """The comparison; None if it is refused."""

    @property
    def changes(self) -> Sequence[Change]:
        """The pairs that differ most."""
        return self.comparison.changes[:_CHANGES] if self.comparison else ()


def comparisons(runs: Sequence[ReportRun]) -> list[ReportComparison]:
    """Return each other run against the first one; of one run, the comparisons within it."""
    if len(runs) == 1:
        return list(_within(runs[0]))
    first, *others = ((run, read_scores(run.log)) for run in runs)
    results = []
    for other, its_scores in others:
        try:
            compared = compare_runs(first[1], its_scores, on_common=True)
        except InputError as error:
            results.append(ReportComparison(about="run", a=first[0].name, b=other.name, refused=str(error)))
            continue
        together = _together(first[0].table, other.table)
        against = [str(each) for each in compared.against]
        results.append(_report_comparison(compared, "run", "", first[0].name, other.name, together, against))
    return results


def _within(run: ReportRun) -> Iterator[ReportComparison]:
    """Compare each label of a dimension with the first one, within each model.

    Prompts are compared only with those of their setting.
    """
    for dimension in _WITHIN:
        models = [""] if dimension == "model" else list(dict.fromkeys(model for model, _ in run.series))
        settings: tuple[str | None, ...] = _settings(run.table) if dimension == "prompt" else (None,)
        for setting, model in product(settings, models):
            labels = _labels(run, dimension, setting)
            tables = [_part(run.table, dimension, label, model) for label in labels]
            on = [name for name in ("phrasing", "repeat", *_WITHIN[::-1]) if name != dimension]
            for label, table in zip(labels[1:], tables[1:], strict=True):
                try:
                    comparison = compare(tables[0], table, paired_on=on)
                except InputError:
                    # They have no question in common, for example in a merged run.
                    continue
                together = _together(tables[0], table, dimension)
                yield _report_comparison(comparison, dimension, model, labels[0], label, together)


def _report_comparison(
    comparison: Comparison,
    about: str,
    model: str,
    a: str,
    b: str,
    together: str,
    against: Sequence[str] = (),
) -> ReportComparison:
    slices = sorted(comparison.slices, key=lambda each: task_place(str(each.slice["task"])))
    return ReportComparison(
        about=about,
        model=model,
        a=a,
        b=b,
        rows=[comparison.overall, *slices],
        together=together,
        against=against,
        comparison=comparison,
    )


def _together(a: ScoreTable, b: ScoreTable, but: str = "") -> str:
    """Return in words in what else the cases of both differ; prompts are counted within their setting."""
    parts = []
    for name in _WITHIN:
        by = {of: {*_labelled(a, name, of)} & {*_labelled(b, name, of)} for of in (*_settings(a), None)}
        by_setting = [len(labels) for of, labels in by.items() if (of is None) != (name == "prompt")]
        if name != but and (most := max(by_setting)) > 1:
            parts.append(counted(most, name))
    return ", ".join(parts)


def _labelled(table: ScoreTable, name: str, setting: str | None) -> Iterator[str]:
    for label, of in zip(table.labels(name), table.labels("setting"), strict=True):
        if setting in (None, of):
            yield str(label)


def _settings(table: ScoreTable) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(str, table.labels("setting"))))


def _labels(run: ReportRun, dimension: str, setting: str | None) -> list[str]:
    if dimension in ("model", "loop"):
        place = ("model", "loop").index(dimension)
        return list(dict.fromkeys(series[place] for series in run.series))
    known = {*_labelled(run.table, dimension, setting)}
    ordered = dict.fromkeys(getattr(cell, dimension) for cell in run.summary.cells)
    return [label for label in ordered if label in known]


def _part(table: ScoreTable, dimension: str, label: str, model: str) -> ScoreTable:
    of_models = zip(table.labels(dimension), table.labels("model"), strict=True)
    places = (place for place, each in enumerate(of_models) if each[0] == label and model in ("", each[1]))
    return table.select(places, ("f1",))


if TYPE_CHECKING:
    from retrocypher.plugins.judge.stored_calibration import Measured, StoredCalibration

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

    @property
    def shares(self) -> list[float]:
        """The same as shares of the cases with a score."""
        return [count / max(1, self.mean.n) for count in self.counts]


class TaskMeans(Struct, frozen=True):
    """Mean rating of a task, for each model and loop."""

    task: str
    means: list[Estimate]


class IssueCases(Struct, frozen=True):
    """How many rejected cases have an issue that the judge names."""

    label: str
    counts: list[int]
    """Cases of each model and loop."""
    also: int
    """How many of these have the same label by execution."""


class JudgeCalibration(Struct, frozen=True):
    """The newest stored calibration of a judge, of one variant."""

    name: str
    made: str
    measured: "Measured"
    by_error: list[tuple[str, Estimate]]
    """Share of errors that the judge accepts, by kind, the highest first."""


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
    """The issues that the reasons of these name, the most frequent first."""
    disagreements: Sequence[Disagreement]
    """The cases whose rating is furthest from F1."""
    calibration: "JudgeCalibration | None" = None

    @property
    def overall(self) -> Agreement:
        """The agreement over all cases."""
        return self.rows[0][1]

    @property
    def largest_share(self) -> float:
        """The largest share of a model and loop with one score in tenths."""
        return max((share for each in self.series for share in each.shares), default=0.0)


def ratings(run: ReportRun, calibrations: Sequence["StoredCalibration"]) -> list[JudgeVariant]:
    """Return the ratings of each judge and variant."""
    return [_variant(run, agreement, calibrations) for agreement in agreements(run.ratings, _DISAGREEMENTS)]


def stored_calibrations(runs: Sequence[ReportRun], root: Path) -> list["StoredCalibration"]:
    """Return the stored calibrations, if any run has a judge; raise InputError if one is damaged."""
    if not any(run.ratings for run in runs):
        return []
    # Imported late: a report without a judge does not need it.
    from retrocypher.plugins.judge.stored_calibration import load_calibrations

    return load_calibrations(root)


def _calibration(
    calibrations: Sequence["StoredCalibration"], judge: JudgeEntry | None, agreement: VariantAgreement
) -> JudgeCalibration | None:
    if not calibrations or judge is None or judge.criteria != agreement.criteria:
        return None
    from retrocypher.plugins.judge.stored_calibration import newest_of

    newest = newest_of(calibrations, judge, agreement.variant)
    if newest is None:
        return None
    measured = newest.calibration.variants[agreement.variant]
    rates = [(label, each.rate) for label, each in measured.by_error.items() if each.rate.value is not None]
    by_error = sorted(rates, key=lambda each: (-(each[1].value or 0.0), each[0]))
    return JudgeCalibration(newest.name, newest.calibration.made[:10], measured, by_error)


def disputed(run: ReportRun) -> list[str]:
    """Return the ids of the cases that a report lists as disagreed on."""
    groups = by_judge(run.ratings).values()
    return list(
        dict.fromkeys(each.case_id for cases in groups for each in disagreements(cases, _DISAGREEMENTS))
    )


def _variant(
    run: ReportRun,
    agreement: VariantAgreement,
    calibrations: Sequence["StoredCalibration"],
) -> JudgeVariant:
    ratings = by_judge(run.ratings)[agreement.judge, agreement.criteria, agreement.variant]
    by_series = {
        series: cases
        for series in run.series
        if (cases := [each for each in ratings if (each.model, each.loop) == series])
    }
    rejected, issues = _issues(by_series)
    return JudgeVariant(
        judge=agreement.judge,
        criteria=agreement.criteria,
        variant=agreement.variant,
        rows=[(_ALL, agreement.overall), *agreement.by_task.items()],
        series=[series_ratings(*series, cases) for series, cases in by_series.items()],
        tasks=[
            TaskMeans(task, [_mean(cases, task) for cases in by_series.values()])
            for task in (_ALL, *agreement.by_task)
        ],
        rejected=rejected,
        issues=issues,
        disagreements=agreement.disagreements,
        calibration=_calibration(calibrations, run.log.manifest.judge, agreement),
    )


def series_ratings(model: str, loop: str, cases: Sequence[Rating]) -> SeriesRatings:
    """Return the mean and the distribution of some ratings of a model and loop."""
    return SeriesRatings(model, loop, _mean(cases, _ALL), _tenths(cases))


def _tenths(cases: Sequence[Rating]) -> list[int]:
    counts = Counter(round(_TENTHS * each.score) for each in cases if each.score is not None)
    return [counts[place] for place in range(_TENTHS + 1)]


def _mean(cases: Sequence[Rating], task: str) -> Estimate:
    scored = [each for each in cases if each.score is not None and task in (_ALL, each.task)]
    return mean_of([each.score or 0.0 for each in scored], [each.cluster for each in scored])


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


if TYPE_CHECKING:
    from retrocypher.plugins.judge.stored_calibration import StoredCalibration


class RunNumbers(Struct, frozen=True, kw_only=True):
    """The numbers of one run."""

    run: ReportRun
    headlines: list[Headline]
    scores: list[SeriesScores]
    keys: list[SeriesKeys]
    more: list[SeriesMetrics]
    """Scores that were measured on request."""
    variations: list[Variation]
    """How outcomes vary over repeats and paraphrases."""
    boxes: list[SeriesBoxes]
    errors: list[SeriesErrors]
    ledger: list[LedgerEntry]
    """Entries of the ledger with cases."""
    judge: list[JudgeVariant]
    answers: list[SeriesAnswers]
    validity: list[MetricValidity]
    clouds: list[Cloud]
    gold: GoldNumbers | None
    """How sure gold is; None for another graph than the default one."""

    @property
    def name(self) -> str:
        """The name of the run in the report."""
        return self.run.name


class ReportNumbers(Struct, frozen=True):
    """The numbers of a report."""

    runs: list[RunNumbers]
    comparisons: list[ReportComparison]

    @property
    def called(self) -> list[ModelResult]:
        """Models and loops that were called, of all runs; named with the run if there are several."""
        found = [each for of in self.runs for each in called_models(of.run.results)]
        return found if len(self.runs) > 1 else [replace(each, run="") for each in found]

    @property
    def cases(self) -> int:
        """The cases of all runs."""
        return sum(each.run.summary.cases for each in self.runs)

    @property
    def failed(self) -> int:
        """The failed cases of all runs."""
        return sum(len(each.run.failed) for each in self.runs)

    @property
    def not_run(self) -> int:
        """The cases of all runs that were not run because of an infrastructure error."""
        return sum(len(each.run.not_run) for each in self.runs)


def analyse(
    runs: Sequence[ReportRun], calibrations: Sequence["StoredCalibration"] = (), *, label_noise: bool = False
) -> ReportNumbers:
    """Return the numbers of a report; calibrations come newest first.

    Args:
        label_noise: Whether to compute what doubt about gold does to means, which takes a minute.
    """
    return ReportNumbers([_numbers(run, calibrations, label_noise) for run in runs], comparisons(runs))


def _numbers(run: ReportRun, calibrations: Sequence["StoredCalibration"], label_noise: bool) -> RunNumbers:
    metrics = dict.fromkeys((*RETRIEVAL_METRICS, run.log.manifest.headline))
    means = Means(run.table, tuple(metrics))
    return RunNumbers(
        run=run,
        headlines=headlines(run, means),
        scores=scores(run, means),
        keys=keys(run),
        more=more_metrics(run),
        variations=run.summary.variations(run.table.cluster_names),
        boxes=boxes(run),
        errors=errors(run),
        ledger=[entry for entry in run.ledger if isinstance(entry, LedgerEntry)],
        judge=ratings(run, calibrations),
        answers=answers(run),
        validity=validity(run),
        clouds=clouds(run.table),
        gold=gold_numbers(run, label_noise),
    )
