"""What a terminal tells of a judged run: means that fit, what has no score, and why."""

import io
from typing import Any

from rich.console import Console
from support.judgements import judgement
from support.records import record_of

from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.analysis.scores import SliceMean
from retrocypher.plugins.analysis.summary import summary_of
from retrocypher.plugins.cli.judge import render_judged
from retrocypher.plugins.operations.judging import MEASURES, JudgedRun
from retrocypher.plugins.reporting.run_tables import render_table
from retrocypher.plugins.runs.manifest import JudgeEntry, ModelEntry
from retrocypher.plugins.statistics.intervals import Estimate


def judged(**fields: Any) -> JudgedRun:
    whole = {
        "run": "reports/run",
        "judge": JudgeEntry(ModelEntry("judge-1")),
        "cases": 9,
        "judged": 9,
        "kept": 0,
        "asked": 18,
        "from_cache": 0,
        "cost": None,
        "summary": {},
        "means": [],
        "written": True,
    }
    return JudgedRun(**{**whole, **fields})


def shown(done: JudgedRun, why: str = "") -> str:
    written = io.StringIO()
    Console(file=written, width=80).print(render_judged(done, why))
    return written.getvalue()


def test_means_and_intervals_fit_80_columns() -> None:
    mean = Estimate(0.6924, 0.5996, 0.7723, 9, 9)
    slices = [{}, *({"task": task} for task in TASKS)]
    means = [SliceMean(slice=each, metric=name, mean=mean) for each in slices for name in MEASURES]
    text = shown(judged(means=means))
    assert text.count("0.692 [0.60, 0.77]") == len(means)
    assert all(f"\n{task} " in text for task in TASKS)


def test_why_a_judge_could_not_be_asked_is_told() -> None:
    why = "The API cannot be reached. Is RETROCYPHER_JUDGE_BASE_URL right?"
    assert f"\n{why}\n" in shown(judged(judged=2, summary={"faults": 7}, written=False), why)


def test_no_score_is_told_once() -> None:
    unreached = {
        variant: judgement(variant, None, error={"kind": "connection", "message": "x"})
        for variant in ("with_reference", "without_reference")
    }
    judge = {"model": "j", "criteria": "c", **unreached}
    records = [record_of(case_id=name, scores={"f1": 1.0}, judge=judge) for name in ("a", "b")]
    text = io.StringIO()
    Console(file=text, width=80).print(render_table(summary_of(records)))
    assert [line.strip() for line in text.getvalue().splitlines() if line.startswith("judge")] == [
        "judge with reference: no score: connection 2",
        "judge without reference: no score: connection 2",
    ]
