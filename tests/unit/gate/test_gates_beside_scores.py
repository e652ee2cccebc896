"""A gate asks for what its rules are about: a judge that is away, or answers that are not there."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.calibrated import calibration
from support.compared import case, manifest_of, question, scores_of
from support.judged import CRITERIA, judgement
from support.records import write_run

from retrocypher.plugins.analysis.baselines import save
from retrocypher.plugins.analysis.gate import gate_of
from retrocypher.plugins.analysis.gate_decision import GateResult, GateVerdict
from retrocypher.plugins.analysis.summary import summarise
from retrocypher.plugins.judge.stored_calibration import keep
from retrocypher.plugins.reporting.text import gate_lines
from retrocypher.plugins.runs.listing import read_entry
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Round

FACTS = {
    "model": {"label": "j", "kind": "openai", "argument": "model-j"},
    "api": "http://localhost/v1",
    "criteria": CRITERIA,
    "rows": 0,
}
AWAY = {"stage": "judge", "kind": "connection", "message": "nobody is there"}
FAILED = Round(
    "answer:text", None, "", None, verdict="error", findings=[{"error": {**AWAY, "stage": "model"}}]
)


def run_of(folder: Path, f1: Sequence[float], unjudged: int = 0, unanswered: int = 0) -> Path:
    """Write a judged run; so many of its first cases lack a judgement, so many of its last an answer."""
    asked = [question(number) for number in range(len(f1))]
    records = []
    for place, (of, each) in enumerate(zip(asked, f1, strict=True)):
        record: Any = case(of, each)
        away = place < unjudged
        told = judgement(None, kind="connection") if away else judgement(0.9)
        record.judge = {"model": "j", "criteria": CRITERIA, "with_reference": told, "without_reference": told}
        record.infrastructure_error = AWAY if away else None
        if place >= len(f1) - unanswered:
            record.rounds = [FAILED]
        records.append(record)
    manifest = manifest_of(cases=len(records), judge=FACTS, exit_status=16 if unjudged or unanswered else 0)
    run = write_run(folder, records, asked, manifest)
    summary = {**summarise(RunLog(run).records()), "selected_cases": len(records), "lost_cases": []}
    (run / "summary.json").write_text(json.dumps(summary))
    return run


def judge(root: Path, run: Path, *rules: str, **options: Any) -> GateResult:
    return gate_of(rules, None, root, **options).judge(scores_of(run))


def said(result: GateResult) -> str:
    return "\n".join(gate_lines(result))


RIGHT = [1.0] * 20


@pytest.mark.parametrize(
    ("lacking", "note"),
    [
        ({"unjudged": 20}, "20 cases without a judgement"),
        ({"unanswered": 2}, "2 cases without a whole answer"),
        ({"unjudged": 1, "unanswered": 1}, "1 case without a judgement, 1 case without a whole answer"),
    ],
)
def test_a_gate_on_f1_is_judged_without_them_and_says_so(
    tmp_path: Path, lacking: dict[str, int], note: str
) -> None:
    run = run_of(tmp_path / "run", RIGHT, **lacking)
    held = judge(tmp_path, run, "f1>=0.9")
    assert (held.verdict, held.exit_status) == (GateVerdict.HOLDS, 0)
    assert f"note: judged although incomplete in what no rule is about: {note}" in said(held)
    failed = judge(tmp_path, run, "f1>=0.9", "passed by task>=1.0", "bleu>=0.5")
    assert (failed.verdict, failed.exit_status) == (GateVerdict.FAILS, 1)


def test_a_gate_on_a_judge_asks_for_its_judgements_and_for_no_answers(tmp_path: Path) -> None:
    keep(calibration(), None, tmp_path)
    away = run_of(tmp_path / "away", RIGHT, unjudged=2)
    for partial in (False, True):
        found = judge(tmp_path, away, "f1>=0.9", "judge>=0.8", partial=partial)
        assert (found.verdict, found.exit_status) == (GateVerdict.REFUSED, 16)
        assert found.reason == "the run is incomplete: 2 whose judge could not be asked, for judge>=0.8"
    unanswered = judge(tmp_path, run_of(tmp_path / "un", RIGHT, unanswered=3), "judge>=0.8")
    assert unanswered.holds
    assert unanswered.notes == (
        "judged although incomplete in what no rule is about: 3 cases without a whole answer",
    )
    assert judge(tmp_path, run_of(tmp_path / "whole", RIGHT), "judge>=0.8").notes == ()


def test_scores_are_asked_for_by_every_gate(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", RIGHT, unjudged=1)
    # A case that was to come never did.
    summary = (run / "summary.json").read_text()
    (run / "summary.json").write_text(summary.replace('"selected_cases": 20', '"selected_cases": 21'))
    found = judge(tmp_path, run, "f1>=0.9")
    assert (found.verdict, found.exit_status) == (GateVerdict.REFUSED, 16)


def test_a_run_whose_judge_was_away_may_be_a_baseline_and_is_not_complete(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", RIGHT, unjudged=3)
    assert save(RunLog(run), "main", tmp_path).cases == 20
    assert read_entry(RunLog(run)).state == "incomplete"
    # Also where its gate asked for no judge, and let it pass.
    manifest = (run / "manifest.json").read_text()
    (run / "manifest.json").write_text(manifest.replace('"exit_status": 16', '"exit_status": 0'))
    assert (read_entry(RunLog(run)).state, scores_of(run).incomplete) == ("incomplete", "")
