"""Judging a run afterwards: how it ends, and what the command prints."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.consoles import printed
from support.judgements import judgement
from support.records import record_of

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.analysis.scores import SliceMean
from retrocypher.plugins.analysis.summary import summary_of
from retrocypher.plugins.cli.judge import judge_command, render_judged
from retrocypher.plugins.operations import judging
from retrocypher.plugins.operations.judging import JUDGED_RUN_METRICS, JudgedRun, final_status
from retrocypher.plugins.reporting.run_tables import render_table
from retrocypher.plugins.runs.manifest import JudgeEntry, ModelEntry
from retrocypher.plugins.runs.record import VARIANTS
from retrocypher.plugins.statistics.intervals import Estimate

WHOLE = {"cases": 3, "selected_cases": 3, "failed": 0, "infrastructure_errors_by_stage": {}}


@pytest.mark.parametrize(
    ("before", "totals", "after"),
    [
        (16, {}, 0),
        (16, {"failed": 2}, 1),
        (16, {"infrastructure_errors_by_stage": {"judge": 1}}, 16),
        (16, {"infrastructure_errors_by_stage": {"model": 1}}, 16),
        (16, {"lost_cases": ["x"]}, 16),
        (16, {"selected_cases": 4}, 16),
        (16, {"answers": {"failed": 1}}, 16),
        (16, {"answers": {"failed": 0}}, 0),
        (2, {}, 2),
        (None, {}, None),
    ],
)
def test_only_what_lacked_judgements_alone_ends_otherwise(
    before: int | None, totals: dict[str, Any], after: int | None
) -> None:
    assert final_status(before, {**WHOLE, **totals}) == after


def test_messages_between_two_announcements_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    say = judging.throttled(said.append)
    say("1 judgement")
    monkeypatch.setattr(judging, "_EVERY_S", 0.0)
    say("2 judgements")
    assert said == ["2 judgements"]


def judged(cases: int = 9, **fields: Any) -> JudgedRun:
    counts = {"cases": cases, "judged": cases, "kept": 0, "asked": 2 * cases, "from_cache": 0, "cost": None}
    told = {"run": "reports/run", "summary": {}, "means": [], "written": True, **counts, **fields}
    return JudgedRun(judge=JudgeEntry(ModelEntry("judge-1")), **told)


def test_means_and_intervals_fit_80_columns() -> None:
    mean = Estimate(0.6924, 0.5996, 0.7723, 9, 9)
    slices = [{}, *({"task": task} for task in TASKS)]
    means = [SliceMean(slice=each, metric=name, mean=mean) for each in slices for name in JUDGED_RUN_METRICS]
    text = printed(render_judged(judged(means=means), ""))
    assert text.count("0.692 [0.60, 0.77]") == len(means)
    assert all(f"\n{task} " in text for task in TASKS)


def test_why_a_judge_could_not_be_asked_is_told() -> None:
    why = "The API cannot be reached. Is RETROCYPHER_JUDGE_BASE_URL right?"
    assert f"\n{why}\n" in printed(render_judged(judged(judged=2, summary={"faults": 7}, written=False), why))


def test_no_score_is_told_once() -> None:
    fault = {"kind": "connection", "message": "x"}
    unreached = {variant: judgement(variant, None, error=fault) for variant in VARIANTS}
    judge = {"model": "j", "criteria": "c", **unreached}
    records = [record_of(name, scores={"f1": 1.0}, judge=judge) for name in "ab"]
    lines = printed(render_table(summary_of(records))).splitlines()
    assert [line.strip() for line in lines if line.strip().startswith("judge")] == [
        "judge with reference: no score: connection 2",
        "judge without reference: no score: connection 2",
    ]


@pytest.mark.parametrize("judge", [(), ("--judge", "local")])
def test_what_is_no_run_is_told(tmp_path: Path, judge: tuple[str, ...]) -> None:
    (tmp_path / "file").write_text("{}")
    said = {"gone": "there is no such folder", "file": "this is a file", ".": "no manifest.json here"}
    for name, why in said.items():
        result = CliRunner().invoke(judge_command, [str(tmp_path / name), *judge])
        assert isinstance(result.exception, InputError)
        assert str(result.exception) == f"{tmp_path / name}: {why}; name the folder of a run"
