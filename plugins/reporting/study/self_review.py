"""The figures and the table of results of the self-review paper."""

import shlex
from collections.abc import Iterator, Sequence
from functools import partial

from retrocypher.plugins.analysis.report import SeriesRatings, series_ratings
from retrocypher.plugins.analysis.study import Study
from retrocypher.plugins.judge.agreement import by_judge
from retrocypher.plugins.reporting.figure_tables import Row, model_rows, with_ends
from retrocypher.plugins.reporting.study.paper import Arm, SelfReviewPaper, self_review_paper
from retrocypher.plugins.reporting.study.parts import Missing, Part, run_command

_JUDGE = "gpt-4o"
"""The judge of the paper."""


def self_review_parts(study: Study) -> Iterator[Part | Missing]:
    """Yield all parts of the paper that runs can show."""
    paper = self_review_paper()
    for arm in paper.arms:
        yield from _missing(study, arm)
    judges = by_judge(study.ratings)
    for (judge, criteria, variant), ratings in judges.items():
        series = {
            (model, loop): series_ratings(model, loop, cases)
            for model in study.models
            for loop in dict.fromkeys(each.loop for each in ratings)
            if (cases := [each for each in ratings if (each.model, each.loop) == (model, loop)])
        }
        names = [variant.replace("_", "-"), *([judge, criteria[:8]] if len(judges) > 2 else [])]
        for arm in paper.arms:
            of_arm = [each for each in series.values() if each.loop in arm.loops]
            if of_arm:
                yield _figure(arm, of_arm, names, judge, paper.place)
    yield _results(study, paper)


def _missing(study: Study, arm: Arm) -> Iterator[Missing]:
    numbers = [f"figure {arm.number}"]
    for label, model in study.models.items():
        found = [cell for cell in study.of(label) if cell.loop in arm.loops]
        judged = any(each.model == label and each.loop in arm.loops for each in study.ratings)
        if not found:
            options = f"--prompt P5,P10 --shot ZS --judge {_JUDGE}"
            commands = [run_command(study, model, options, arm.loops[0])]
            yield Missing(numbers, label, f"no case with the loop {arm.loops[0]}", commands)
        elif not judged:
            logs = study.logs_of(label)
            commands = [f"retrocypher judge {shlex.quote(str(log))} --judge {_JUDGE}" for log in logs]
            yield Missing(numbers, label, "no case was judged", commands)


def _figure(arm: Arm, series: Sequence[SeriesRatings], names: Sequence[str], judge: str, place: str) -> Part:
    # Imported late: drawing takes a second to load.
    from retrocypher.plugins.reporting.figures import judge_scores

    rows: list[Row] = [
        {"model": each.model, "loop": each.loop, "score": tenth / 10, "cases": count}
        for each in series
        for tenth, count in enumerate(each.counts)
    ]
    means: list[Row] = [
        {
            "model": each.model,
            "loop": each.loop,
            "judged": each.mean.n,
            **with_ends("mean", each.mean),
            "paper": f"{arm.mean:.2f}",
        }
        for each in series
    ]
    return Part(
        number=f"figure {arm.number}, {names[0].replace('-', ' ')}",
        file="-".join([f"figure-{arm.number}", *names]),
        title=arm.title,
        rows=rows,
        shown=means,
        draw=partial(judge_scores, series),
        note=f"Scores of {judge} in tenths; dashed: the mean. The paper prints its means in {place}.",
    )


def _results(study: Study, paper: SelfReviewPaper) -> Part:
    rows = model_rows(study.results)
    for row in rows:
        row |= _judged(study, str(row["model"]), str(row["loop"]))
        arm = next((arm for arm in paper.arms if row["loop"] in arm.loops), None)
        row["paper_score"] = arm.mean if arm else None
    control, review = paper.arms
    for label in study.models:
        of = {str(row["loop"]): row.get("score") for row in rows if row["model"] == label}
        before = next((of[loop] for loop in control.loops if of.get(loop)), None)
        for row in rows:
            if row["model"] == label and row["loop"] in review.loops and before and row["score"] is not None:
                row["gain_percent"] = 100 * (row["score"] - before) / before
                row["paper_gain_percent"] = paper.relative_gain_percent
    prices = ", ".join(
        f"{each.name} {each.prompt:.2f} and {each.completion:.2f}" for each in paper.prices.models
    )
    return Part(
        number="table 1",
        file="table-1",
        title="Results of each model, with list price, tokens and time",
        rows=rows,
        shown=rows,
        note="Score: mean of the judge, with the reference query if both variants were asked. Gain: of the "
        "mean score over that of the control arm. Prices are in USD per million tokens, prompt and "
        f"completion; {paper.prices.place} of the paper has {prices}.",
    )


def _judged(study: Study, model: str, loop: str) -> Row:
    ratings = [each for each in study.ratings if (each.model, each.loop) == (model, loop)]
    variants = {each.variant for each in ratings}
    chosen = "with_reference" if "with_reference" in variants else "without_reference"
    found = (
        series_ratings(model, loop, [each for each in ratings if each.variant == chosen]) if ratings else None
    )
    return {"judged": found.mean.n if found else 0, **with_ends("score", found.mean if found else None)}
