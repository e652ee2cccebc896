"""All numbers of a report: loaded runs in, what is rendered out."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from retrocypher.plugins.analysis.report_comparisons import ReportComparison, comparisons
from retrocypher.plugins.analysis.report_judge import JudgeVariant, ratings
from retrocypher.plugins.analysis.report_runs import ReportRun
from retrocypher.plugins.analysis.report_scores import (
    Cloud,
    Headline,
    Means,
    SeriesAnswers,
    SeriesBoxes,
    SeriesErrors,
    SeriesScores,
    answers,
    boxes,
    clouds,
    errors,
    headlines,
    scores,
    validity,
)
from retrocypher.plugins.analysis.score_table import MetricValidity
from retrocypher.plugins.runs.record import JsonValue

if TYPE_CHECKING:
    from retrocypher.plugins.judge.stored_calibration import StoredCalibration


class RunNumbers(Struct, frozen=True, kw_only=True):
    """The numbers of one run."""

    run: ReportRun
    headlines: list[Headline]
    scores: list[SeriesScores]
    boxes: list[SeriesBoxes]
    errors: list[SeriesErrors]
    ledger: list[Mapping[str, JsonValue]]
    """Entries of the ledger with cases."""
    judge: list[JudgeVariant]
    answers: list[SeriesAnswers]
    validity: list[MetricValidity]
    clouds: list[Cloud]

    @property
    def name(self) -> str:
        """The name of the run in the report."""
        return self.run.name


class ReportNumbers(Struct, frozen=True):
    """The numbers of a report."""

    runs: list[RunNumbers]
    comparisons: list[ReportComparison]


def analyse(runs: Sequence[ReportRun], calibrations: Sequence["StoredCalibration"] = ()) -> ReportNumbers:
    """Return the numbers of a report.

    Args:
        calibrations: The stored calibrations of judges, the newest first.
    """
    return ReportNumbers([_numbers(run, calibrations) for run in runs], comparisons(runs))


def _numbers(run: ReportRun, calibrations: Sequence["StoredCalibration"]) -> RunNumbers:
    means = Means(run.table)
    return RunNumbers(
        run=run,
        headlines=headlines(run, means),
        scores=scores(run, means),
        boxes=boxes(run),
        errors=errors(run),
        ledger=[entry for entry in run.ledger if entry["cases"]],
        judge=ratings(run, calibrations),
        answers=answers(run),
        validity=validity(run),
        clouds=clouds(run.table),
    )
