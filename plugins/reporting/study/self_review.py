"""The figures and the table of results of the self-review paper."""

import shlex
from collections.abc import Iterator, Sequence
from functools import partial

from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.analysis.report import SeriesRatings, series_ratings
from retrocypher.plugins.analysis.study import Study, StudyCase
from retrocypher.plugins.judge.agreement import Rating, by_judge
from retrocypher.plugins.reporting.figure_tables import Row, model_rows, with_ends
from retrocypher.plugins.reporting.study.paper import Arm, Caption, SelfReviewPaper
from retrocypher.plugins.reporting.study.parts import (
    Missing,
    Part,
    not_from_runs,
    other_questions,
    run_command,
)

_JUDGE = "gpt-4o"
"""The judge of the paper."""


def self_review_parts(study: Study) -> Iterator[Part | Missing]:
    """Yield all parts of the paper that runs can show."""
    paper = SelfReviewPaper.read()
    yield from not_from_runs(paper.not_from_runs)
    for arm in paper.arms:
        yield from _missing(study, paper, arm)
    judges = by_judge(study.ratings)
    for (judge, criteria, variant), ratings in judges.items():
        series = [
            series_ratings(model, loop, cases)
            for model in study.models
            for loop in dict.fromkeys(each.loop for each in ratings)
            if (cases := [each for each in ratings if (each.model, each.loop) == (model, loop)])
        ]
        names = [variant.replace("_", "-"), *([judge, criteria[:8]] if len(judges) > 2 else [])]
        for arm in paper.arms:
            if of_arm := [each for each in series if each.loop in arm.loops]:
                yield _figure(paper, arm, of_arm, names, judge)
    yield _results(study, paper)


def _missing(study: Study, paper: SelfReviewPaper, arm: Arm) -> Iterator[Missing]:
    loops = {loop for each in paper.arms for loop in each.loops}
    for label, model in study.models.items():
        of_arms = [cell for cell in study.of(label) if cell.loop in loops]
        found = [cell for cell in of_arms if cell.loop in arm.loops]
        judged = any(each.model == label and each.loop in arm.loops for each in study.ratings)
        if not found:
            # The gain is of the cases that both arms have. A suite has prompts and tasks of its own.
            cells = of_arms or [cell for cell in study.of(label) if cell.setting == "table"]
            prompts = ",".join(dict.fromkeys(cell.prompt for cell in cells)) or "P5,P10"
            shots = ",".join(dict.fromkeys(cell.shot for cell in cells)) or "ZS"
            asked = {case.task for cell in cells for case in study.cells[cell]} or TASKS
            options = f"--prompt {prompts} --shot {shots} --judge {_JUDGE}"
            commands = [run_command(study, model, options, asked, arm.loops[0])]
            yield Missing([f"figure {arm.number}"], label, f"no case with the loop {arm.loops[0]}", commands)
        elif not judged:
            logs = study.logs_of(label)
            commands = [f"retrocypher judge {shlex.quote(str(log))} --judge {_JUDGE}" for log in logs]
            yield Missing([f"figure {arm.number}"], label, "no case was judged", commands)


def _figure(
    paper: SelfReviewPaper, arm: Arm, series: Sequence[SeriesRatings], names: Sequence[str], judge: str
) -> Part:
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
    file = "-".join([f"figure-{arm.number}", *names])
    number = f"figure {arm.number}, {names[0].replace('-', ' ')}"
    return Part(
        caption=Caption(file, number, arm.title, paper.arm_note),
        rows=rows,
        shown=means,
        draw=partial(judge_scores, series),
        remark=f"The judge is {judge}.",
    )


def _results(study: Study, paper: SelfReviewPaper) -> Part:
    rows: list[Row] = []
    groups: dict[tuple[str, str], list[StudyCase]] = {}
    for cell, cases in study.cells.items():
        groups.setdefault((cell.model, cell.loop), []).extend(cases)
    control, review = paper.arms
    for of_model in model_rows(study.results.results()):
        model, loop = str(of_model["model"]), str(of_model["loop"])
        arm = next((arm for arm in paper.arms if loop in arm.loops), None)
        for (judge, criteria), ratings in _by_judge(study, model).items() or [(("", ""), [])]:
            of_loop = [each for each in ratings if each.loop == loop]
            found = series_ratings(model, loop, of_loop).mean
            row = of_model | {"judge": judge, "criteria": criteria[:8], "judged": found.n}
            row |= with_ends("score", found) | {"paper_score": arm.mean if arm else None}
            gain, shared = _gain([each for each in ratings if each.loop in control.loops], of_loop)
            if arm is review and gain is not None:
                row |= {"gain_percent": gain, "cases_of_gain": shared}
                row |= {"paper_gain_percent": paper.relative_gain_percent}
            rows.append(row)
    return Part(caption=paper.results, rows=rows, shown=rows, remark=other_questions(groups.values()))


def _by_judge(study: Study, model: str) -> dict[tuple[str, str], list[Rating]]:
    """Return the ratings of a model by judge and criteria."""
    found: dict[tuple[str, str], list[Rating]] = {}
    # Of the variants of a judge, the one with the reference comes first.
    for (judge, criteria, _), ratings in by_judge(study.ratings).items():
        if of_model := [each for each in ratings if each.model == model]:
            found.setdefault((judge, criteria), of_model)
    return found


def _gain(before: Sequence[Rating], after: Sequence[Rating]) -> tuple[float | None, int]:
    """Return the gain of the mean score in per cent, over the cases with a score in both arms, and these."""
    old, new = _scores(before), _scores(after)
    both = [case for case in new if case in old]
    was = sum(old[case] for case in both)
    return 100 * (sum(new[case] for case in both) - was) / was if was else None, len(both)


def _scores(ratings: Sequence[Rating]) -> dict[str, float]:
    """Return the scores by case, whatever its loop."""
    return {
        each.case_id.removesuffix(f"-{each.loop}-{each.model}"): each.score
        for each in ratings
        if each.score is not None
    }
