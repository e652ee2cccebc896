"""Models compared by F1 against cost and time."""

from collections.abc import Iterator
from functools import partial

from retrocypher.plugins.analysis.model_results import called_models
from retrocypher.plugins.analysis.study import Study
from retrocypher.plugins.reporting.figure_tables import model_rows
from retrocypher.plugins.reporting.study.parts import Missing, Part

_NOTE = (
    "The paper has one model; this comparison is ours. Costs are at list prices, cached calls included; a "
    "model without a price has none. Times are those of the calls. Calls that are made once a run, as those "
    "of self-review's schema analyst, are left out. On a front (filled): no other model has at least as high "
    "an F1 at no higher cost (or time), and is better in at least one. Compare models only if they have the "
    "same cases."
)


def model_parts(study: Study) -> Iterator[Part | Missing]:
    """Yield the comparison of models."""
    rows = model_rows(study.results)
    draw = None
    if called := called_models(study.results):
        from retrocypher.plugins.reporting.figures import pareto

        draw = partial(pareto, called)
    else:
        why = "cost and time: no model of these runs is called"
        yield Missing(
            ["models"], "", why, ["pytest benchmarks --model gpt-4.1-mini-2025-04-14 --model gpt-4.1"]
        )
    yield Part(
        number="models",
        file="models",
        title="F1 against cost and time",
        rows=rows,
        shown=rows,
        draw=draw,
        note=_NOTE,
    )
