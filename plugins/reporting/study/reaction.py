"""The figures and tables of the reaction Text2Cypher paper."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.questions.question import MULTI_STEP_TASKS, SINGLE_STEP_TASKS, setting_of, task_place
from retrocypher.plugins.analysis.scores import SliceBox, SliceMean, slice_boxes, slice_means
from retrocypher.plugins.analysis.study import (
    Study,
    detection,
    rates_after,
    rates_before,
    variation_rates,
)
from retrocypher.plugins.reporting.figure_tables import Row, with_ends
from retrocypher.plugins.reporting.study.models import model_parts
from retrocypher.plugins.reporting.study.paper import BoxPlots, ReactionPaper, reaction_paper
from retrocypher.plugins.reporting.study.parts import (
    Missing,
    Part,
    missing_cells,
    not_from_runs,
    other_questions,
    series_name,
)
from retrocypher.plugins.runs.record import NO_LOOP, SCORED_KEYS
from retrocypher.plugins.runs.summary import VARIATIONS
from retrocypher.plugins.statistics.means import BoxStats

_BY = ("model", "loop", "task", "prompt", "shot")
_SETTINGS = ("single_step", "multi_step")
_Key = tuple[str, str, str, str, str]
"""Model, task, metric, shot and prompt."""


def reaction_parts(study: Study) -> Iterator[Part | Missing]:
    """Yield all parts of the paper, in its order; raise InputError without a case about reactions."""
    if not any(study.of(model, setting=setting) for model in study.models for setting in _SETTINGS):
        raise InputError("no case of these runs is about reactions; name runs of the reaction benchmark")
    paper = reaction_paper()
    numbers = _Numbers(study, paper)
    yield from not_from_runs(paper.not_from_runs)
    yield _samples(study, paper)
    figure_3, figure_4, *more = paper.boxes
    for model in study.models:
        yield from _boxes(study, paper, numbers, figure_3, model)
    for model in study.models:
        yield from _boxes(study, paper, numbers, figure_4, model)
        yield from _multi_step_errors(study, paper, model)
    for model in study.models:
        yield from _correction(study, paper, model)
        yield from _text(study, paper, model)
    for model in study.models:
        yield from _columns(study, paper, model)
    for model in study.models:
        yield from _variations(study, paper, model)
    for spec in more:
        for model in study.models:
            yield from _boxes(study, paper, numbers, spec, model)
    yield from model_parts(study)


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
    yield from missing_cells(study, number, model, prompts, spec.shots, spec.tasks)
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

    tasks = [task for task in spec.tasks if any(row["task"] == task for row in rows)]
    yield Part(
        number=number,
        file=series_name(study, f"figure-{spec.number}", model),
        title=spec.title,
        model=model,
        rows=rows,
        draw=partial(box_grid, tasks, spec.metrics, spec.shots, prompts, partial(numbers.box, model)),
        note="Boxes: quartiles, with the median as a thick line, the mean as a diamond, and Tukey's whiskers "
        "and points. Where nearly all scores are 0 or 1, a box spans the whole panel or is a line.",
    )


def _samples(study: Study, paper: ReactionPaper) -> Part:
    rows: list[Row] = [
        {
            "task": group.task,
            "of": group.part,
            "paper": paper.tasks.samples.get(", ".join(filter(None, group))),
            "questions": study.questions[group],
        }
        for group in sorted(study.questions, key=lambda group: (task_place(group.task), group.part))
    ]
    note = "Number of questions of each task. A sample (--sample) asks fewer."
    return Part(
        number=paper.tasks.place, file="figure-1", title="Tasks and samples", rows=rows, shown=rows, note=note
    )


_OF_FIGURE_4 = ("endpoint_anchoring", "traversal_direction", "path_length")
"""The categories that the text and the caption of figure 4 name."""
_OF_FIGURE_A2 = ("traversal_direction", "missing_component:reactants", "missing_component:products")
"""The categories that the text on figure A2 names."""
_CATEGORIES = 5
_RATES_NOTE = (
    "Queries: the first ones, before a loop, and those that count after it. Invalid query rate: share that "
    "did not run to their end. Retrieval error rate: share of wrong ones among those that ran. Of the first "
    "queries that ran and were wrong, non-corrected is the share that stayed wrong, and non-detected the "
    "share that stayed wrong and was not flagged by a validator at its first look. Error coverage: share of "
    "wrong queries with a category. Categories count wrong queries by primary label: the three that the "
    "paper names, and the two most frequent others."
)


def _error_rows(study: Study, model: str, setting: str, with_details: bool) -> list[Row]:
    """Return a row for each prompt, shot and loop, two where the loop has a first query."""
    rows: list[Row] = []
    for cell in study.of(model, setting=setting):
        cases = study.cells[cell]
        found, before = detection(cases), rates_before(cases)
        for when, rates in (
            ("before", before),
            ("after" if cell.loop != NO_LOOP else "first", rates_after(cases)),
        ):
            if rates is None:
                continue
            labels: Counter[str] = Counter()
            for label, count in rates.labels.items():
                labels[label if with_details else name_of(label)] += count
            row: Row = {"shot": cell.shot, "prompt": cell.prompt, "loop": cell.loop, "queries": when}
            row |= {"cases": rates.queries, _LABELS: labels}
            for name in ("invalid_query_rate", "retrieval_error_rate"):
                row |= with_ends(name, getattr(rates, name))
            for name in _OF_DETECTION:
                row |= with_ends(name, getattr(found, name) if found and when == "after" else None)
            rows.append(row | with_ends("error_coverage", rates.error_coverage))
    return rows


_LABELS = "labels"
_OF_DETECTION = ("non_detected_error_rate", "non_corrected_error_rate")


def _with_categories(rows: Sequence[Row], named: Sequence[str], most: int | None) -> list[Row]:
    """Return rows with a column for each category: those named first, then the most frequent.

    Args:
        most: How many categories; the others are counted as ``others``. None for all.
    """
    total = sum((row[_LABELS] for row in rows), Counter[str]())
    frequent = [label for label, _ in total.most_common() if label not in named]
    chosen = [*named, *frequent][:most]
    return [
        {
            **{name: value for name, value in row.items() if name != _LABELS},
            **{label: row[_LABELS][label] for label in chosen},
            **(
                {"others": row[_LABELS].total() - sum(row[_LABELS][label] for label in chosen)}
                if most
                else {}
            ),
        }
        for row in rows
    ]


def _multi_step_errors(study: Study, paper: ReactionPaper, model: str) -> Iterator[Part | Missing]:
    number, prompts = "figure 4, table", paper.prompts["multi_step"]
    yield from missing_cells(study, number, model, prompts, paper.boxes[1].shots, MULTI_STEP_TASKS)
    if rows := _error_rows(study, model, "multi_step", with_details=False):
        yield Part(
            number=number,
            file=series_name(study, "figure-4-errors", model),
            title="Errors of all multi-step tasks",
            model=model,
            rows=_with_categories(rows, _OF_FIGURE_4, None),
            shown=_with_categories(rows, _OF_FIGURE_4, _CATEGORIES),
            note=_RATES_NOTE + other_questions(study, study.of(model, setting="multi_step")),
        )


def _correction(study: Study, paper: ReactionPaper, model: str) -> Iterator[Part | Missing]:
    spec = paper.correction
    for number, loop in (("figure A2", NO_LOOP), ("figure A2", spec.loop), ("section 3", spec.loop)):
        yield from missing_cells(study, number, model, spec.prompts, spec.shots, SINGLE_STEP_TASKS, loop)
    rows = _error_rows(study, model, "single_step", with_details=True)
    if not rows:
        return
    drawn = [row for row in rows if row["prompt"] in spec.prompts and row["shot"] in spec.shots]
    draw = None
    if any(row[_LABELS] for row in drawn):
        from retrocypher.plugins.reporting.study.drawing import error_bars

        chosen = _with_categories(drawn, _OF_FIGURE_A2, 2 * _CATEGORIES)
        named = [name for name in chosen[0] if name not in drawn[0]]
        draw = partial(error_bars, chosen, named, spec.prompts, spec.shots)
    yield Part(
        number="figure A2",
        file=series_name(study, "figure-A2", model),
        title="Errors of single-step tasks, before and after correction",
        model=model,
        rows=_with_categories(rows, _OF_FIGURE_A2, None),
        shown=_with_categories(rows, _OF_FIGURE_A2, _CATEGORIES),
        draw=draw,
        note=_RATES_NOTE + other_questions(study, study.of(model, setting="single_step")),
    )


def _text(study: Study, paper: ReactionPaper, model: str) -> Iterator[Part]:
    """Yield the numbers that the paper states in its text, beside ours."""
    rows: list[Row] = []
    spec = paper.correction
    for printed in paper.text:
        for cell in study.of(model, spec.loop, "single_step"):
            cases = study.cells[cell]
            before, found = rates_before(cases), detection(cases)
            row: Row = {
                "number": f"fewer {printed.label}",
                "shot": cell.shot,
                "prompt": cell.prompt,
                "paper": printed.printed,
            }
            if printed.what == "less":
                if before is not None and (printed.prompt, printed.shot) == (cell.prompt, cell.shot):
                    was, now = before.labels[printed.label], rates_after(cases).labels[printed.label]
                    fall = 100 * (was - now) / was if was else None
                    rows.append(row | {"before": was, "after": now, "ours_percent": fall})
            elif found is not None and cell.prompt in spec.prompts:
                # The sentence of the paper can mean both.
                for name in _OF_DETECTION:
                    rows.append(row | {"number": name} | with_ends("ours_percent", getattr(found, name), 100))
    if rows:
        yield Part(
            number="section 3",
            file=series_name(study, "section-3", model),
            title="Numbers in the text on correction, in per cent",
            model=model,
            rows=rows,
            shown=rows,
        )


_STAGES = {
    "exact": "exact",
    "stem": "lexical",
    "alias": "lexical",
    "misspelling": "lexical",
    "encoder": "semantic",
}
"""Our stages of key matching, by the stage of the paper that they belong to."""


_NO_ENCODER = (
    "the semantic stage: columns were matched without an encoder (the paper's is BiomedBERT at 0.93; "
    "all-mpnet-base-v2 stands in for it, and its cosines are not comparable)"
)


def _columns(study: Study, paper: ReactionPaper, model: str) -> Iterator[Part | Missing]:
    found = study.columns.get(model, Counter())
    if not study.encoders[model]:
        commands = [
            f"retrocypher rescore {shlex.quote(str(log))} --key-encoder all-mpnet-base-v2@0.93 --out "
            f"{shlex.quote(f'{log}-encoded')}"
            for log in study.logs_of(model)
        ]
        yield Missing(["figure A3"], model, _NO_ENCODER, commands)
    rows: list[Row] = [
        {
            "key": each.key,
            "paper_stage": _STAGES.get(each.stage, each.stage),
            "stage": each.stage,
            "variant": each.column,
            "cases": cases,
            "in_paper": "yes" if each.column in paper.columns_of(each.key) else "no",
        }
        for each, cases in sorted(found.items(), key=lambda item: (item[0].key, -item[1], item[0].column))
    ]
    shown: list[Row] = []
    for key in SCORED_KEYS:
        row: Row = {"key": key}
        for stage in dict.fromkeys(_STAGES.values()):
            of = [each for each in rows if (each["key"], each["paper_stage"]) == (key, stage)]
            row[stage] = ", ".join(f"{each['variant']} ({each['cases']:,})" for each in of) or None
        shown.append(row | {"paper": ", ".join(paper.columns_of(key))})
    if rows:
        yield Part(
            number="figure A3",
            file=series_name(study, "figure-A3", model),
            title="Names of columns that were matched to gold keys, by stage",
            model=model,
            rows=rows,
            shown=shown,
            note="The number of cases in brackets; the paper prints names only. Lexical are stems, the table "
            "of aliases and misspellings. The paper's key product is our key products. The paper's semantic "
            "stage uses BiomedBERT at a cosine of 0.93; cosines of another encoder are not comparable.",
        )


def _variations(study: Study, paper: ReactionPaper, model: str) -> Iterator[Part | Missing]:
    prompts, shots = paper.prompts["single_step"], list(paper.variations["aliases"])
    yield from missing_cells(study, "figure A4", model, prompts, shots, SINGLE_STEP_TASKS)
    rows: list[Row] = []
    for cell in study.of(model, NO_LOOP):
        rates = variation_rates(study.cells[cell])
        row: Row = {"shot": cell.shot, "prompt": cell.prompt, "right": int(rates["aliases"].of)}
        for name in VARIATIONS:
            row |= with_ends(f"{name}_percent", rates[name], 100)
            if name in paper.variations:
                row[f"{name}_paper_percent"] = paper.variation(name, cell.prompt, cell.shot)
        rows.append(row)
    if rows:
        yield Part(
            number="figure A4",
            file=series_name(study, "figure-A4", model),
            title="Right queries that differ from the reference, in per cent",
            model=model,
            rows=rows,
            shown=[row for row in rows if row["right"]],
            note="Right: F1 is 1 and, where it is defined, row F1 too; the paper asks for F1 only. The paper "
            "prints single-step prompts, and names property order without a number.",
        )
