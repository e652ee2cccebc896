"""The means of a judged run are read whole in a terminal of the usual width."""

import io
from pathlib import Path

from rich.console import Console

from kg.questions import TASKS
from plugins.judging._judge_run import JudgedRun
from plugins.judging._render import render_judged
from plugins.judging._scores import MEASURES


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
