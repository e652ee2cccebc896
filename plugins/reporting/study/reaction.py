"""The figures and tables of the reaction Text2Cypher paper."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.questions.question import setting_of
from retrocypher.plugins.analysis.scores import SliceBox, SliceMean, slice_boxes, slice_means
from retrocypher.plugins.analysis.study import (
    Study,
    StudyCell,
    detection,
    rates_after,
    rates_before,
    variation_rates,
)
from retrocypher.plugins.reporting.figure_tables import Row
from retrocypher.plugins.reporting.study.paper import BoxPlots, ReactionPaper, reaction_paper
from retrocypher.plugins.reporting.study.parts import Missing, Part, missing_cells, series_name, with_ends
from retrocypher.plugins.runs.record import NO_LOOP
from retrocypher.plugins.runs.summary import VARIATIONS
from retrocypher.plugins.statistics.means import BoxStats

_BY = ("model", "loop", "task", "prompt", "shot")
_Key = tuple[str, str, str, str, str]
"""Model, task, metric, shot and prompt."""


def reaction_parts(study: Study) -> Iterator[Part | Missing]:
    """Yield all parts of the paper, in its order."""
    paper = reaction_paper()
    numbers = _Numbers(study, paper)
    for spec in paper.boxes[:1]:
        for model in study.models:
            yield from _boxes(study, paper, numbers, spec, model)


class _Numbers:
    """Box plots and means of all models, computed once."""

    def __init__(self, study: Study, paper: ReactionPaper) -> None:
        metrics = list(dict.fromkeys(metric for spec in paper.boxes for metric in spec.metrics))
        self.boxes: dict[_Key, SliceBox] = {
            _key(each): each
            for each in slice_boxes(study.table, _BY, metrics)
            if each.slice["loop"] == NO_LOOP
        }
        self.means: dict[_Key, SliceMean] = {
            _key(each): each
            for each in slice_means(study.table, _BY, metrics)
            if each.slice["loop"] == NO_LOOP
        }

    def box(self, model: str, task: str, metric: str, shot: str, prompt: str) -> BoxStats | None:
        found = self.boxes.get((model, task, metric, shot, prompt))
        return found.box if found else None


def _key(each: SliceBox | SliceMean) -> _Key:
    model, _, task, prompt, shot = (str(each.slice[name]) for name in _BY)
    return (model, task, each.metric, shot, prompt)


def _boxes(
    study: Study, paper: ReactionPaper, numbers: _Numbers, spec: BoxPlots, model: str
) -> Iterator[Part | Missing]:
    number, prompts = f"figure {spec.number}", paper.prompts[setting_of(spec.tasks[0])]
    yield from missing_cells(study, number, model, prompts, spec.shots)
    rows: list[Row] = [
        {
            "task": task,
            "metric": metric,
            "shot": shot,
            "prompt": prompt,
            "cases": box.n,
            **with_ends("mean", numbers.means[model, task, metric, shot, prompt].mean),
            **{name: getattr(box, name) for name in ("q1", "median", "q3", "whisker_low", "whisker_high")},
        }
        for task in spec.tasks
        for metric in spec.metrics
        for shot in spec.shots
        for prompt in prompts
        if (box := numbers.box(model, task, metric, shot, prompt)) is not None
    ]
    if not rows:
        return
    # Imported late: drawing takes a second to load.
    from retrocypher.plugins.reporting.study.drawing import box_grid

    yield Part(
        number=number,
        file=series_name(study, f"figure-{spec.number}", model),
        title=spec.title,
        model=model,
        rows=rows,
        draw=partial(box_grid, spec.tasks, spec.metrics, spec.shots, prompts, partial(numbers.box, model)),
        note="Boxes: quartiles, with the median as a thick line, the mean as a diamond, and whiskers and points "
        "as Tukey drew them. Where nearly all scores are 0 or 1, a box spans the whole panel or is a line.",
    )
