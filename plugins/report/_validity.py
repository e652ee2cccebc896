"""Whether text metrics tell anything of retrieval: correlations, and points to draw."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from plugins.report._run import Run
from plugins.statistics import ScoreTable, metric_validity

METRICS = {"bleu": "BLEU", "meteor": "METEOR", "rouge_l": "ROUGE-L"}
_BINS = 20


def validity(run: Run) -> list[dict[str, Any]]:
    """Return the correlations of all cases, and of each setting where there are both."""
    found = list(metric_validity(run.table))
    by_setting = sorted(
        metric_validity(run.table, by=("setting",)), key=lambda each: each.slice["setting"] != "single_step"
    )
    both = len({each.slice["setting"] for each in by_setting}) > 1
    told = [each for each in (*found, *(by_setting if both else ())) if each.pearson.value is not None]
    return [{**each.to_json(), "name": METRICS[each.metric]} for each in told]


def clouds(table: ScoreTable) -> list[dict[str, Any]]:
    """Return, for each text metric, how many cases lie where: bins of 0.05 either way.

    Each point has ``x`` (the metric), ``y`` (F1) and ``cases``; ``x`` and ``y`` are middles of bins.
    """
    return [
        {"metric": metric, "name": name, "points": points}
        for metric, name in METRICS.items()
        if (points := list(_points(table, metric)))
    ]


def _points(table: ScoreTable, metric: str) -> Iterator[dict[str, Any]]:
    x, y = table.scores(metric), table.scores("f1")
    told = ~np.isnan(x) & ~np.isnan(y)
    places = np.rint(np.column_stack([x[told], y[told]]) * _BINS).astype(int)
    for (column, row), cases in sorted(Counter(map(tuple, places.tolist())).items()):
        yield {"x": column / _BINS, "y": row / _BINS, "cases": cases}
