"""Models compared by F1 against cost and time."""

from collections.abc import Iterator, Sequence
from functools import partial

from retrocypher.plugins.analysis.model_results import ModelResult, with_fronts
from retrocypher.plugins.analysis.study import Study
from retrocypher.plugins.reporting.figure_tables import Row
from retrocypher.plugins.reporting.study.parts import Missing, Part, with_ends


def model_rows(results: Sequence[ModelResult]) -> list[Row]:
    """Return a row for each model and loop."""
    return [
        {
            "model": each.model,
            "loop": each.loop,
            "cases": each.cases,
            **with_ends("f1", each.f1),
            "usd_per_million_prompt_tokens": each.price and each.price.prompt,
            "usd_per_million_completion_tokens": each.price and each.price.completion,
            "tokens_per_case": each.tokens_per_case,
            "seconds_per_case": each.seconds_per_case,
            "usd_per_1000_cases": each.usd_per_1000_cases,
            "front_of_cost": "yes" if fronts["usd_per_1000_cases"] else "no",
            "front_of_time": "yes" if fronts["seconds_per_case"] else "no",
        }
        for each, fronts in with_fronts(results)
    ]


MODELS_NOTE = (
    "The paper has one model; this is ours. Costs are at list prices, cached calls included, and unknown (–) for "
    "models without a price. Times are those of the calls. On a front: no other model has as high an F1 for as "
    "little, and is better in either (filled in the figure). Compare models only if they have the same cases."
)


def model_parts(study: Study) -> Iterator[Part | Missing]:
    """Yield the comparison of models."""
    rows = model_rows(study.results)
    known = [each for each in study.results if each.seconds_per_case is not None]
    draw = None
    if known:
        from retrocypher.plugins.reporting.study.drawing import pareto

        draw = partial(pareto, known)
    else:
        why = "cost and time: no model of these runs is called"
        yield Missing(
            "models", "", why, ["pytest benchmarks --model gpt-4.1-mini-2025-04-14 --model gpt-4.1"]
        )
    yield Part(
        number="models",
        file="models",
        title="F1 against cost and time",
        rows=rows,
        shown=rows,
        draw=draw,
        note=MODELS_NOTE,
    )
