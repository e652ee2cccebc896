"""What a terminal tells of a judged run: means that fit, what has no score, and why."""

import io
from pathlib import Path

from rich.console import Console

from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.operations.judging import MEASURES, JudgedRun, render_judged
from retrocypher.plugins.reporting.run_tables import lines_below


def test_means_and_intervals_fit_80_columns() -> None:
    mean = {"value": 0.6924, "low": 0.5996, "high": 0.7723, "n": 9, "clusters": 9}
    slices = [{}, *({"task": task} for task in TASKS)]
    means = [{"slice": each, "metric": name, "mean": mean} for each in slices for name in MEASURES]
    judge = {"model": {"label": "judge-1"}}
    done = JudgedRun(Path("reports/run"), judge, 9, 9, 0, 18, 0, None, {}, means, True)
    written = io.StringIO()
    Console(file=written, width=80).print(render_judged(done))
    shown = written.getvalue()
    assert shown.count("0.692 [0.60, 0.77]") == len(means)
    assert all(f"\n{task} " in shown for task in TASKS)


def test_why_a_judge_could_not_be_asked_is_told() -> None:
    judge = {"model": {"label": "judge-1"}}
    why = "The API cannot be reached. Is RETROCYPHER_JUDGE_BASE_URL right?"
    done = JudgedRun(Path("reports/run"), judge, 9, 2, 0, 0, 0, None, {"faults": 7}, [], False, why)
    written = io.StringIO()
    Console(file=written, width=80).print(render_judged(done))
    assert f"\n{why}\n" in written.getvalue()


def test_no_score_is_told_once() -> None:
    variant = {"scored": 0, "mean": None, "weighted": 0, "no_score": {"connection": 2}}
    cell = {"judge": {"cases": 2, "faults": 2, "with_reference": variant, "without_reference": variant}}
    assert [*lines_below([cell], [])] == [
        "judge with reference: no score: connection 2",
        "judge without reference: no score: connection 2",
    ]
