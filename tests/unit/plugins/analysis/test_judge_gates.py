"""Rules on the score of a judge: refused unless its calibration is on file, and good enough."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from support.calibrated import calibration
from support.compared import case, manifest_of, question, scores_of
from support.judged import CRITERIA, judgement
from support.records import write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.gate import gate_of
from retrocypher.plugins.analysis.gate_decision import GateResult, GateVerdict
from retrocypher.plugins.analysis.gate_rules import RuleError, parse_rule
from retrocypher.plugins.cli.gate import gate_command
from retrocypher.plugins.judge.stored_calibration import HOME, keep, name_for

FACTS = {
    "model": {"label": "j", "kind": "openai", "argument": "model-j"},
    "api": "http://localhost/v1",
    "criteria": CRITERIA,
    "rows": 0,
}


def judged(folder: Path, scores: Sequence[float | None], facts: Any = FACTS) -> Path:
    asked = [question(number) for number in range(len(scores))]
    records = []
    for of, score in zip(asked, scores, strict=True):
        record = case(of, 1.0)
        told = {"with_reference": judgement(score), "without_reference": judgement(0.2)}
        record.judge = {"model": "j", "criteria": CRITERIA, **told}
        records.append(record)
    manifest = manifest_of(cases=len(records), judge=facts)
    return write_run(folder, records, asked, manifest, {"selected_cases": len(records), "lost_cases": []})


def gated(root: Path, run: Path, *rules: str, **options: Any) -> GateResult:
    return gate_of(rules, None, root, **options).judge(scores_of(run))


GOOD = [0.9, 0.7] * 10


def test_a_judge_with_a_good_calibration_may_gate(tmp_path: Path) -> None:
    keep(calibration(), None, tmp_path)
    run = judged(tmp_path / "run", GOOD)
    assert gated(tmp_path, run, "judge>=0.8").verdict is GateVerdict.HOLDS
    found = gated(tmp_path, run, "judge by task>=0.85", "f1>=1")
    assert found.verdict is GateVerdict.FAILS
    assert [each.slice for each in found.rules[0].slices] == [{"task": "conditions"}, {"task": "precursors"}]


def test_without_a_calibration_it_may_not(tmp_path: Path) -> None:
    run = judged(tmp_path / "run", GOOD)
    found = gated(tmp_path, run, "judge>=0.1")
    assert (found.verdict, found.exit_status) == (GateVerdict.REFUSED, 1)
    assert "the judge j has no stored calibration; make one with `retrocypher judge --calib" in found.reason
    # A gate that asks nothing of a judge needs none.
    assert gated(tmp_path, run, "f1>=0.1").holds


@pytest.mark.parametrize("changed", [{"criteria": "other"}, {"variants": {"without_reference": 0}}])
def test_a_calibration_of_something_else_is_none(tmp_path: Path, changed: dict[str, Any]) -> None:
    measured = calibration().variants["with_reference"]
    if "variants" in changed:
        changed = {"variants": {"without_reference": measured}}
    keep(replace(calibration(), **changed), None, tmp_path)
    found = gated(tmp_path, judged(tmp_path / "run", GOOD), "judge>=0.1")
    assert "have other criteria, rows or variants than the run" in found.reason


def test_another_model_is_another_judge_and_a_label_is_none(tmp_path: Path) -> None:
    keep(calibration(), None, tmp_path)
    model = {**FACTS["model"], "label": "the best one"}
    assert gated(tmp_path, judged(tmp_path / "a", GOOD, {**FACTS, "model": model}), "judge>=0.1").holds
    model = {**FACTS["model"], "argument": "model-k"}
    found = gated(tmp_path, judged(tmp_path / "b", GOOD, {**FACTS, "model": model}), "judge>=0.1")
    assert "the judge j has no stored calibration" in found.reason
    weights = {"label": "j", "kind": "gguf", "argument": "some.gguf", "file_sha256": "f" * 64}
    keep(replace(calibration(), model=f"file {'f' * 64}"), "file", tmp_path)
    assert gated(tmp_path, judged(tmp_path / "c", GOOD, {**FACTS, "model": weights}), "judge>=0.1").holds


def test_kappa_is_to_be_high_enough_at_its_lower_end(tmp_path: Path) -> None:
    kappa = calibration(mistaken=6).variants["with_reference"].kappa
    assert kappa.low < 0.6 < kappa.value
    keep(calibration(mistaken=6), None, tmp_path)
    run = judged(tmp_path / "run", GOOD)
    found = gated(tmp_path, run, "judge>=0.1")
    assert f"kappa of {kappa.value:.3f}, at least {kappa.low:.3f} (95 % interval)" in found.reason
    assert "--gate-judge-kappa requires 0.6" in found.reason
    assert gated(tmp_path, run, "judge>=0.1", judge_kappa=0.3).holds


def test_a_judge_that_tells_nothing_apart_is_told_so(tmp_path: Path) -> None:
    measured = calibration().variants["with_reference"]
    same = replace(measured, kappa=replace(measured.kappa, value=0.0, low=None, high=None))
    keep(replace(calibration(), variants={"with_reference": same}), None, tmp_path)
    found = gated(tmp_path, judged(tmp_path / "run", GOOD), "judge>=0.1")
    assert "has a kappa of 0.000, without an interval, and --gate-judge-kappa requires 0.6" in found.reason


def test_a_judge_that_is_silent_too_often_is_not_believed(tmp_path: Path) -> None:
    keep(calibration(silent=10), None, tmp_path)
    found = gated(tmp_path, judged(tmp_path / "run", GOOD), "judge>=0.1")
    assert "has no score for 10.5 % of its queries, and at most 5 % are allowed" in found.reason


def test_the_newest_calibration_counts(tmp_path: Path) -> None:
    keep(calibration(), "old", tmp_path)
    keep(replace(calibration(mistaken=3), made="2026-05-02T03:04:05+00:00"), "new", tmp_path)
    found = gated(tmp_path, judged(tmp_path / "run", GOOD), "judge>=0.1")
    assert "its calibration new has a kappa" in found.reason


def test_a_run_without_a_judge_is_refused_and_cases_without_a_score_are_a_part(tmp_path: Path) -> None:
    keep(calibration(), None, tmp_path)
    found = gated(tmp_path, judged(tmp_path / "none", GOOD, None), "judge>=0.1")
    assert "needs a judge, and the run has none" in found.reason
    part = judged(tmp_path / "part", [*GOOD, None, None])
    found = gated(tmp_path, part, "judge>=0.1")
    assert found.reason.startswith("2 of 22 cases have no score for judge")
    allowed = gated(tmp_path, part, "judge>=0.1", partial=True)
    assert allowed.holds
    assert allowed.notes == ("judged on a partial run: 2 of 22 cases have no score for judge",)


def test_a_judge_is_in_no_rule_against_regressions() -> None:
    with pytest.raises(RuleError, match="a baseline has no scores of a judge"):
        parse_rule("no-regression judge")
    assert str(parse_rule("judge.without_reference by task >= 0.5")) == "judge.without_reference by task>=0.5"


def test_damaged_calibrations_are_refused(tmp_path: Path) -> None:
    file = keep(calibration(), None, tmp_path)
    assert file == tmp_path / HOME / f"{name_for('j', CRITERIA)}.json"
    page = json.loads(file.read_text())
    for broken in ("{", "[]", json.dumps({**page, "schema_version": 2}), json.dumps({**page, "variants": 1})):
        file.write_text(broken)
        with pytest.raises(InputError, match="not a calibration"):
            gate_of(["judge>=0.1"], None, tmp_path)
        # Which a gate without a judge does not read.
        gate_of(["f1>=0.1"], None, tmp_path)


def test_the_command_asks_for_as_much_as_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.chdir(tmp_path)
    keep(calibration(mistaken=6), None, tmp_path)
    run = str(judged(tmp_path / "run", GOOD))
    assert CliRunner().invoke(gate_command, [run, "judge>=0.1"]).exit_code == 1
    assert CliRunner().invoke(gate_command, [run, "judge>=0.1", "--gate-judge-kappa", "0.2"]).exit_code == 0


@pytest.mark.parametrize("name", ["", "a/b", "../x", "x" * 81])
def test_a_name_is_that_of_a_file(tmp_path: Path, name: str) -> None:
    if name:
        with pytest.raises(InputError, match="not a name"):
            keep(calibration(), name, tmp_path)
    assert name_for("a b/../c é", CRITERIA) == "a-b-..-c-cccccccc"
    assert name_for("é", CRITERIA) == "judge-cccccccc"
