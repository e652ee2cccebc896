"""The figures and tables of the reaction Text2Cypher paper."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.questions.question import MULTI_STEP_TASKS, SINGLE_STEP_TASKS, setting_of, task_place
from retrocypher.plugins.analysis.model_results import called_models
from retrocypher.plugins.analysis.scores import Label, Means, SliceBox, SliceMean, slice_boxes, slice_means
from retrocypher.plugins.analysis.study import ERROR_RATES, Study, rates_of, variation_rates
from retrocypher.plugins.reporting.figure_tables import Row, model_rows, with_ends
from retrocypher.plugins.reporting.study.paper import BoxPlots, Caption, ReactionPaper
from retrocypher.plugins.reporting.study.parts import (
    Missing,
    Part,
    missing_cells,
    not_from_runs,
    other_questions,
)
from retrocypher.plugins.runs.record import NO_LOOP, SCORED_KEYS
from retrocypher.plugins.runs.summary import VARIATIONS
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import BoxStats

_BY = ("model", "loop", "task", "prompt", "shot")
_OF_BOX = ("q1", "median", "q3", "whisker_low", "whisker_high")
_Boxes = Mapping[tuple[Label, ...], tuple[BoxStats, Estimate]]
"""Box plot and mean of a score, by the labels of `_BY` and its name."""
_Parts = Iterator[Part | Missing]
_Maker = Callable[[Study, ReactionPaper, str], _Parts]
"""Yields the parts of a model."""


def reaction_parts(study: Study) -> _Parts:
    """Yield all parts of the paper, in its order; raise InputError without a case about reactions."""
    if all(cell.setting == "table" for cell in study.cells):
        raise InputError("no case of these runs is about reactions; name runs of the reaction benchmark")
    paper = ReactionPaper.read()
    metrics = list(dict.fromkeys(metric for spec in paper.boxes for metric in spec.metrics))
    means = {_key(each): each.mean for each in slice_means(study.table, _BY, metrics)}
    boxes = {_key(each): (each.box, means[_key(each)]) for each in slice_boxes(study.table, _BY, metrics)}
    figures: list[_Maker] = [partial(_box_plots, boxes=boxes, spec=spec) for spec in paper.boxes]
    yield from not_from_runs(paper.not_from_runs)
    yield _samples(study, paper)
    yield from _leaks(study, paper)
    others: list[_Maker] = [_multi_step_errors, _correction, _text, _columns, _variations]
    for make in (*figures[:2], *others, *figures[2:]):
        for model in study.models:
            yield from make(study, paper, model)
    yield from _models(study, paper)


def _key(each: SliceBox | SliceMean) -> tuple[Label, ...]:
    return (*each.slice.values(), each.metric)


def _box_plots(study: Study, paper: ReactionPaper, model: str, boxes: _Boxes, spec: BoxPlots) -> _Parts:
    number, prompts = f"figure {spec.number}", paper.prompts[setting_of(spec.tasks[0])]
    yield from missing_cells(study, number, model, prompts, spec.shots, spec.tasks)
    found = {
        (task, metric, shot, prompt): boxes[key]
        for task in spec.tasks
        for metric in spec.metrics
        for shot in spec.shots
        for prompt in prompts
        if (key := (model, NO_LOOP, task, prompt, shot, metric)) in boxes
    }
    if not found:
        return
    # Imported late: drawing takes a second to load.
    from retrocypher.plugins.reporting.study.drawing import box_grid

    shown = {key: box for key, (box, _) in found.items()}
    titles = {task: paper.tasks[task] for task, *_ in found}
    cells = [
        cases
        for cell, cases in study.of(model, NO_LOOP).items()
        if cell.prompt in prompts and cell.shot in spec.shots
    ]
    of_tasks = ([[case for case in cases if case.task == task] for cases in cells] for task in titles)
    yield Part(
        caption=Caption(f"figure-{spec.number}", number, spec.title, paper.box_note),
        model=model,
        rows=[
            {
                **dict(zip(("task", "metric", "shot", "prompt"), key, strict=True)),
                "cases": box.n,
                **with_ends("mean", mean),
                **{name: getattr(box, name) for name in _OF_BOX},
                "outliers": " ".join(f"{value:g}*{often}" for value, often in box.outliers),
            }
            for key, (box, mean) in found.items()
        ],
        draw=partial(box_grid, titles, spec.rows, spec.shots, prompts, shown),
        remark=next(filter(None, map(other_questions, of_tasks)), ""),
    )


def _samples(study: Study, paper: ReactionPaper) -> Part:
    rows: list[Row] = [
        {
            "task": group.task,
            "task_in_paper": paper.tasks.get(group.task),
            "of": group.part,
            "paper": paper.samples.get(", ".join(filter(None, group))),
            "questions": len(study.questions[group]),
        }
        for group in sorted(study.questions, key=lambda group: (task_place(group.task), group.part))
    ]
    return Part(caption=paper.captions["samples"], rows=rows, shown=rows)


_CATEGORIES = 5
"""How many a table shows."""
_OF_DETECTION = ("non_detected_error_rate", "non_corrected_error_rate")
_ErrorRow = tuple[Row, Counter[str]]
"""A row of rates, and the wrong queries by category."""


def _error_rows(
    study: Study, model: str, setting: str, named: Sequence[str], with_details: bool
) -> tuple[list[_ErrorRow], list[str]]:
    """Return a row for each prompt, shot and loop, two where the loop has a first query, and categories.

    These are the ones that the table shows; errors of these are covered.
    """

    def category(label: str) -> str:
        return label if with_details else name_of(label)

    cells = study.of(model, setting=setting)
    queries = (each for cases in cells.values() for case in cases for each in (case.before, case.after))
    total = Counter(category(each.label) for each in queries if each is not None and each.is_wrong)
    shown = _chosen(total, named, _CATEGORIES)
    covered = {*shown} - {"other"}
    rows: list[_ErrorRow] = []
    for cell, cases in cells.items():
        before, after = rates_of(cases, lambda label: category(label) in covered)
        for when, found in (("before", before), ("after" if cell.loop != NO_LOOP else "first", after)):
            if found is None:
                continue
            row: Row = {"shot": cell.shot, "prompt": cell.prompt, "loop": cell.loop}
            row |= {"queries": when, "cases": found.queries}
            for name in ERROR_RATES:
                row |= with_ends(name, found.rates.get(name))
            rows.append((row, Counter(map(category, found.labels.elements()))))
    return rows, shown


def _chosen(labels: Counter[str], named: Sequence[str], most: int | None) -> list[str]:
    """Return the categories named first, then the most frequent, at most so many; None for all."""
    return [*named, *(label for label, _ in labels.most_common() if label not in named)][:most]


def _counted(rows: Sequence[_ErrorRow]) -> Counter[str]:
    return sum((labels for _, labels in rows), Counter[str]())


def _with_categories(rows: Sequence[_ErrorRow], chosen: Sequence[str]) -> list[Row]:
    """Return rows with a column for each category, and the other ones, if there are any, as ``others``."""
    some = not {*chosen}.issuperset(_counted(rows))
    with_counts = []
    for row, labels in rows:
        counts = {label: labels[label] for label in chosen}
        with_counts.append(row | counts | ({"others": labels.total() - sum(counts.values())} if some else {}))
    return with_counts


def _multi_step_errors(study: Study, paper: ReactionPaper, model: str) -> _Parts:
    caption, named = paper.captions["multi_step_errors"], paper.categories["multi_step_errors"]
    prompts, shots = paper.prompts["multi_step"], paper.boxes[1].shots
    yield from missing_cells(study, caption.number, model, prompts, shots, MULTI_STEP_TASKS)
    rows, shown = _error_rows(study, model, "multi_step", named, with_details=False)
    if rows:
        yield Part(
            caption=caption,
            model=model,
            rows=_with_categories(rows, _chosen(_counted(rows), named, None)),
            shown=_with_categories(rows, shown),
            remark=other_questions(study.of(model, setting="multi_step").values()),
        )


def _correction(study: Study, paper: ReactionPaper, model: str) -> _Parts:
    spec, named = paper.correction, paper.categories["correction"]
    for number, loop in (("figure A2", NO_LOOP), ("figure A2", spec.loop), ("section 3", spec.loop)):
        yield from missing_cells(study, number, model, spec.prompts, spec.shots, SINGLE_STEP_TASKS, loop)
    rows, shown = _error_rows(study, model, "single_step", named, with_details=True)
    if not rows:
        return
    drawn = [each for each in rows if each[0]["prompt"] in spec.prompts and each[0]["shot"] in spec.shots]
    draw = None
    if any(labels for _, labels in drawn):
        from retrocypher.plugins.reporting.study.drawing import error_bars

        counted = _with_categories(drawn, _chosen(_counted(drawn), named, 2 * _CATEGORIES))
        bars = [name for name in counted[0] if name not in drawn[0][0]]
        draw = partial(error_bars, counted, bars, spec.prompts, spec.shots)
    yield Part(
        caption=paper.captions["correction"],
        model=model,
        rows=_with_categories(rows, _chosen(_counted(rows), named, None)),
        shown=_with_categories(rows, shown),
        draw=draw,
        remark=other_questions(study.of(model, setting="single_step").values()),
    )


def _text(study: Study, paper: ReactionPaper, model: str) -> _Parts:
    """Yield the numbers that the paper states in its text, beside ours."""
    rows: list[Row] = []
    spec = paper.correction
    rates = {cell: rates_of(cases) for cell, cases in study.of(model, spec.loop, "single_step").items()}
    for printed in paper.text:
        for cell, (before, after) in rates.items():
            row: Row = {"number": f"fewer {printed.label}", "shot": cell.shot, "prompt": cell.prompt}
            row |= {"paper": printed.printed}
            if printed.label:
                if before is not None and (printed.prompt, printed.shot) == (cell.prompt, cell.shot):
                    was, now = before.labels[printed.label], after.labels[printed.label]
                    fall = 100 * (was - now) / was if was else None
                    rows.append(row | {"before": was, "after": now, "ours_percent": fall})
            elif cell.prompt in spec.prompts:
                # The sentence of the paper can mean both.
                for name in (each for each in _OF_DETECTION if each in after.rates):
                    rows.append(row | {"number": name} | with_ends("ours_percent", after.rates[name], 100))
    if rows:
        yield Part(caption=paper.captions["text"], model=model, rows=rows, shown=rows)


_NO_ENCODER = (
    "the semantic stage: columns were matched without an encoder (the paper's is BiomedBERT at 0.93; "
    "all-mpnet-base-v2 stands in for it, and its cosines are not comparable)"
)


def _columns(study: Study, paper: ReactionPaper, model: str) -> _Parts:
    found = study.columns.get(model, Counter())
    logs = study.logs_of(model)
    if not any(log.manifest.known_options.key_encoder for log in logs):
        commands = [
            f"retrocypher rescore {shlex.quote(str(log))} --key-encoder all-mpnet-base-v2@0.93 --out "
            f"{shlex.quote(f'{log}-encoded')}"
            for log in logs
        ]
        yield Missing(["figure A3"], model, _NO_ENCODER, commands)
    rows: list[Row] = [
        {
            "key": each.key,
            "paper_stage": paper.stages.get(each.stage, each.stage),
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
        for stage in dict.fromkeys(paper.stages.values()):
            of = [each for each in rows if (each["key"], each["paper_stage"]) == (key, stage)]
            row[stage] = ", ".join(f"{each['variant']} ({each['cases']:,})" for each in of) or None
        shown.append(row | {"paper": ", ".join(paper.columns_of(key))})
    if rows:
        yield Part(caption=paper.captions["columns"], model=model, rows=rows, shown=shown)


def _variations(study: Study, paper: ReactionPaper, model: str) -> _Parts:
    prompts, shots = paper.prompts["single_step"], list(paper.variations["aliases"])
    yield from missing_cells(study, "figure A4", model, prompts, shots, SINGLE_STEP_TASKS)
    rows: list[Row] = []
    for cell, cases in study.of(model, NO_LOOP).items():
        rates = variation_rates(cases)
        row: Row = {"shot": cell.shot, "prompt": cell.prompt, "right": int(rates["aliases"].of)}
        for name in VARIATIONS:
            row |= with_ends(f"{name}_percent", rates[name], 100)
            if name in paper.variations:
                row[f"{name}_paper_percent"] = paper.variation(name, cell.prompt, cell.shot)
        rows.append(row)
    if rows:
        shown = [row for row in rows if row["right"]]
        yield Part(caption=paper.captions["variations"], model=model, rows=rows, shown=shown)


def _leaks(study: Study, paper: ReactionPaper) -> _Parts:
    means, rows = Means(study.table, ("f1",)), list[Row]()
    for model, loop, shot in dict.fromkeys((cell.model, cell.loop, cell.shot) for cell in study.cells):
        at = {"model": model, "loop": loop, "shot": shot}
        if (leaks := means.leaks("f1", **at)) is not None:
            every = means.of(**at)["f1"]
            row: Row = at | {
                "cases": every.n,
                "right_as_is": leaks.as_is,
                "right_with_one_edit": leaks.one_edit,
            }
            rows.append(row | with_ends("f1", every) | with_ends("f1_without_these", leaks.without))
    if rows:
        yield Part(caption=paper.captions["leaks"], rows=rows, shown=rows)


_OF_A_RUN = frozenset(("model", "replay", "shard"))


def _models(study: Study, paper: ReactionPaper) -> _Parts:
    results = study.results.results()
    draw = None
    if called := called_models(results):
        from retrocypher.plugins.reporting.figures import pareto

        draw = partial(pareto, called)
    else:
        why = "cost and time: no model of these runs is called; SPEC is a model that you choose"
        # The same runs, of another model.
        commands = []
        for log in study.logs:
            given = {name: of for name, of in log.manifest.options.items() if name not in _OF_A_RUN}
            commands.append(shlex.join(["pytest", "benchmarks", "--model", "SPEC", *study.words_of(given)]))
        yield Missing(["models"], "", why, list(dict.fromkeys(commands)))
    rows = model_rows(results)
    yield Part(caption=paper.captions["models"], rows=rows, shown=rows, draw=draw)
