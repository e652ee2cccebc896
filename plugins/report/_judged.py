"""What a judge said of the cases of a run, beside what execution says."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from plugins.agreement import Opinion, VariantAgreement, agreements, by_judge, disagreements, load_issues
from plugins.report._case import shortened
from plugins.report._run import Run, Series
from plugins.statistics import Estimate, Resampler, mean_of

TITLES = {"with_reference": "with the reference query", "without_reference": "without the reference query"}
_TENTHS = 10
_APART = 10
_REASON = 300


def judged(run: Run) -> list[dict[str, Any]]:
    """Return a part for each judge and variant: agreement, scores, stated issues and disagreements."""
    resampler = Resampler()
    return [_part(run, found, resampler) for found in agreements(run.opinions, _APART)]


def disputed(run: Run) -> list[str]:
    """Return the ids of the cases that the page lists as disagreed on."""
    groups = by_judge(run.opinions).values()
    return list(dict.fromkeys(each.case_id for said in groups for each in disagreements(said, _APART)))


def drawn(part: Mapping[str, Any], run: str, links: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Return a part with what its drawings and links need.

    Bars of all series are on one scale, as shares of the cases of each.

    Args:
        part: One of what `judged` returned.
        run: The name of the run.
        links: Pages of cases, by names of run and case.
    """
    shares = [
        [bar["cases"] / max(1, series["mean"].n) for bar in series["bars"]] for series in part["series"]
    ]
    most = max((share for each in shares for share in each), default=0) or 1
    series = [
        {**told, "bars": [{**bar, "height": h / most} for bar, h in zip(told["bars"], each, strict=True)]}
        for told, each in zip(part["series"], shares, strict=True)
    ]
    apart = [
        {
            "case_id": each.case_id,
            "f1": each.f1,
            "score": each.score,
            "reason": shortened(each.reason, _REASON),
            "href": links.get((run, each.case_id)),
        }
        for each in part["disagreements"]
    ]
    return {**part, "series": series, "disagreements": apart}


def _part(run: Run, found: VariantAgreement, resampler: Resampler) -> dict[str, Any]:
    said = by_judge(run.opinions)[found.judge, found.criteria, found.variant]
    by_series = {
        series: cases
        for series in run.series
        if (cases := [each for each in said if (each.model, each.loop) == series])
    }
    return {
        "judge": found.judge,
        "criteria": found.criteria,
        "variant": found.variant,
        "title": TITLES[found.variant],
        "rows": [("all", found.overall), *found.by_task.items()],
        "unjudged": found.overall.unjudged,
        "reliability": found.overall.reliability,
        "series": [_series(series, cases, resampler) for series, cases in by_series.items()],
        "tasks": [
            {"task": task, "means": [_mean(cases, task, resampler) for cases in by_series.values()]}
            for task in ("all", *found.by_task)
        ],
        "issues": _issues(by_series),
        "disagreements": found.disagreements,
    }


def _series(series: Series, cases: Sequence[Opinion], resampler: Resampler) -> dict[str, Any]:
    """Return how many cases have which score, in tenths."""
    counts = Counter(round(_TENTHS * each.score) for each in cases if each.score is not None)
    model, loop = series
    return {
        "model": model,
        "loop": loop,
        "mean": _mean(cases, "all", resampler),
        "bars": [{"score": place / _TENTHS, "cases": counts[place]} for place in range(_TENTHS + 1)],
    }


def _mean(cases: Sequence[Opinion], task: str, resampler: Resampler) -> Estimate:
    told = [each for each in cases if each.score is not None and task in ("all", each.task)]
    return mean_of([each.score or 0.0 for each in told], [each.target for each in told], resampler)


def _issues(by_series: Mapping[Series, Sequence[Opinion]]) -> dict[str, Any]:
    """Return what the reasons of rejected cases name, and how often execution's labels say the same."""
    issues = load_issues()
    counts = [Counter[str]() for _ in by_series]
    also: Counter[str] = Counter()
    rejected = [0 for _ in by_series]
    for place, cases in enumerate(by_series.values()):
        for each in cases:
            if each.score is None or each.accepted:
                continue
            rejected[place] += 1
            named = issues.of(each.reason)
            counts[place].update(named)
            also.update(label for label in named if label in each.labels)
    total = sum(counts, Counter[str]())
    return {
        "rejected": rejected,
        "rows": [
            {"label": label, "counts": [count[label] for count in counts], "also": also[label]}
            for label in sorted(total, key=lambda label: (-total[label], label))
        ],
    }
