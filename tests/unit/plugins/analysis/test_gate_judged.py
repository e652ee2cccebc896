"""Gates on runs with a judge or written answers: what a rule asks for, and which judge it believes."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from support.calibrated import JUDGE_ENTRY, calibration
from support.compared import case, question, scores_of
from support.judged import CRITERIA
from support.judged import judged as judge_entry
from support.manifests import manifest_of
from support.records import write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.baselines import save
from retrocypher.plugins.analysis.gate import gate_of
from retrocypher.plugins.analysis.gate_decision import GateResult, GateVerdict
from retrocypher.plugins.analysis.summary import summary_of
from retrocypher.plugins.cli.gate import gate_command
from retrocypher.plugins.judge.stored_calibration import HOME, keep, name_for
from retrocypher.plugins.reporting.text import gate_lines
from retrocypher.plugins.runs.listing import read_entry
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Record, Round

MODEL = JUDGE_ENTRY["model"]
AWAY = {"stage": "judge", "kind": "connection", "message": "nobody is there"}
FAILED = {"error": {**AWAY, "stage": "model"}}
UNWRITTEN = Round("answer:text", None, "", None, "error", findings=[FAILED])
GOOD = [0.9, 0.7] * 10


def judged(of: int, score: float | None, label: str = "j", **fields: Any) -> Record:
    """Return a right case with what the judge said of it."""
    said = {**judge_entry(score, 0.2, model=label), "model": label}
    return case(question(of), 1.0, judge=said, **fields)


def run_of(folder: Path, records: Sequence[Record], facts: Any = JUDGE_ENTRY, status: int = 1) -> Path:
    asked = [question(number) for number in range(len(records))]
    manifest = manifest_of(cases=len(records), judge=facts, exit_status=status)
    summary = summary_of(records).run_summary()
    summary.selected_cases = len(records)
    return write_run(folder, records, asked, manifest, summary)


def scored(folder: Path, scores: Sequence[float | None] = GOOD, **facts: Any) -> Path:
    """Write a run with these scores of a judge; ``facts`` change its entry in the manifest."""
    label = facts.get("model", MODEL)["label"]
    records = [judged(number, score, label) for number, score in enumerate(scores)]
    return run_of(folder, records, {**JUDGE_ENTRY, **facts})


def broken(folder: Path, unjudged: int = 0, unanswered: int = 0) -> Path:
    """Write a run in which so many first cases lack a judgement, and so many last ones an answer."""
    records = []
    for number in range(20):
        fields: dict[str, Any] = {"rounds": [UNWRITTEN]} if number >= 20 - unanswered else {}
        if number < unjudged:
            records.append(judged(number, None, infrastructure_error=AWAY, **fields))
        else:
            records.append(judged(number, 0.9, **fields))
    return run_of(folder, records, status=16)


def gated(root: Path, run: Path, *rules: str, **options: Any) -> GateResult:
    return gate_of(rules, None, root, **options).judge(scores_of(run))


def test_a_judge_with_a_good_calibration_may_gate(tmp_path: Path) -> None:
    keep(calibration(), None, tmp_path)
    run = scored(tmp_path / "run")
    assert gated(tmp_path, run, "judge>=0.8").verdict is GateVerdict.HOLDS
    found = gated(tmp_path, run, "judge by task>=0.85", "f1>=1")
    assert found.verdict is GateVerdict.FAILS
    assert [each.slice for each in found.rules[0].slices] == [{"task": "conditions"}, {"task": "precursors"}]


def test_without_a_calibration_it_may_not(tmp_path: Path) -> None:
    run = scored(tmp_path / "run")
    found = gated(tmp_path, run, "judge>=0.1")
    assert (found.verdict, found.exit_status) == (GateVerdict.REFUSED, 1)
    assert "the judge j has no stored calibration; make one with `retrocypher judge --calib" in found.reason
    # A gate that asks nothing of a judge needs none.
    assert gated(tmp_path, run, "f1>=0.1").holds


def test_a_calibration_of_something_else_is_none(tmp_path: Path) -> None:
    run = scored(tmp_path / "run")
    variants = {"without_reference": calibration().variants["with_reference"]}
    for changed in ({"criteria": "other"}, {"variants": variants}):
        keep(replace(calibration(), **changed), "other", tmp_path)
        found = gated(tmp_path, run, "judge>=0.1")
        assert "have other criteria, rows or variants than the run" in found.reason


def test_another_model_is_another_judge_and_a_label_is_none(tmp_path: Path) -> None:
    keep(calibration(), None, tmp_path)
    model = {**MODEL, "label": "the best one"}
    assert gated(tmp_path, scored(tmp_path / "a", model=model), "judge>=0.1").holds
    model = {**MODEL, "argument": "model-k"}
    found = gated(tmp_path, scored(tmp_path / "b", model=model), "judge>=0.1")
    assert "the judge j has no stored calibration" in found.reason
    weights = {"label": "j", "kind": "gguf", "argument": "some.gguf", "file_sha256": "f" * 64}
    keep(replace(calibration(), model=f"file {'f' * 64}"), "file", tmp_path)
    assert gated(tmp_path, scored(tmp_path / "c", model=weights), "judge>=0.1").holds


def test_kappa_is_to_be_high_enough_at_its_lower_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kappa = calibration(mistaken=6).variants["with_reference"].kappa
    assert kappa.low < 0.6 < kappa.value
    keep(calibration(mistaken=6), None, tmp_path)
    run = scored(tmp_path / "run")
    found = gated(tmp_path, run, "judge>=0.1")
    assert f"kappa of {kappa.value:.3f}, at least {kappa.low:.3f} (95 % interval)" in found.reason
    assert "--gate-judge-kappa requires 0.6" in found.reason
    assert gated(tmp_path, run, "judge>=0.1", judge_kappa=0.3).holds
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.chdir(tmp_path)
    command = [str(run), "judge>=0.1", "--gate-judge-kappa", "0.2"]
    assert [CliRunner().invoke(gate_command, command[:end]).exit_code for end in (2, 4)] == [1, 0]


def test_a_judge_that_tells_nothing_apart_or_is_silent_too_often_is_not_believed(tmp_path: Path) -> None:
    # Right about half of the queries.
    keep(calibration(mistaken=2), None, tmp_path)
    found = gated(tmp_path, scored(tmp_path / "run"), "judge>=0.1")
    assert "95 % interval), and --gate-judge-kappa requires 0.6" in found.reason

    keep(calibration(silent=10), None, tmp_path)
    found = gated(tmp_path, scored(tmp_path / "run"), "judge>=0.1")
    assert "has no score for 10.5 % of its queries, and at most 5 % are allowed" in found.reason


def test_the_newest_calibration_counts(tmp_path: Path) -> None:
    keep(calibration(), "old", tmp_path)
    keep(replace(calibration(mistaken=3), made="2026-05-02T03:04:05+00:00"), "new", tmp_path)
    found = gated(tmp_path, scored(tmp_path / "run"), "judge>=0.1")
    assert "its calibration new has a kappa" in found.reason


def test_a_run_without_a_judge_is_refused_and_cases_without_a_score_are_a_part(tmp_path: Path) -> None:
    keep(calibration(), None, tmp_path)
    found = gated(tmp_path, run_of(tmp_path / "none", [case(question(0), 1.0)], None), "judge>=0.1")
    assert "needs a judge, and the run has none" in found.reason
    part = scored(tmp_path / "part", [*GOOD, None, None])
    found = gated(tmp_path, part, "judge>=0.1")
    assert found.reason.startswith("2 of 22 cases have no score for judge")
    allowed = gated(tmp_path, part, "judge>=0.1", partial=True)
    assert allowed.holds
    assert allowed.notes == ("judged on a partial run: 2 of 22 cases have no score for judge",)


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


def edited(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    file = keep(calibration(mistaken=6), None, root)
    page = json.loads(file.read_text())
    change(page["variants"]["with_reference"])
    file.write_text(json.dumps(page))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda found: found["kappa"].update(value=0.99), "kappa is 0.99, and the scores give 0."),
        (lambda found: found["auroc"].update(value=0.99), "auroc is 0.99, and the scores give 0."),
        (lambda found: found["queries"].pop(), "the scores are of"),
        (lambda found: found.update(unjudged={"malformed": 3}), "the scores are of"),
        (
            lambda found: found["queries"].append(found["queries"][0]),
            "has no scores, or occurs twice",
        ),
        (lambda found: found["queries"][0].update(scores=[]), "has no scores, or occurs twice"),
        (lambda found: found["queries"][0].update(scores=[7]), "Expected `float` <= 1.0"),
    ],
)
def test_figures_that_do_not_follow_from_the_scores_are_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], said: str
) -> None:
    edited(tmp_path, change)
    with pytest.raises(InputError, match="not a calibration") as raised:
        gate_of(["judge>=0.1"], None, tmp_path)
    assert said in str(raised.value)


def test_an_interval_is_computed_from_the_scores_and_not_read(tmp_path: Path) -> None:
    edited(tmp_path, lambda found: found["kappa"].update(low=0.9))
    kappa = calibration(mistaken=6).variants["with_reference"].kappa
    found = gated(tmp_path, scored(tmp_path / "run"), "judge>=0.1")
    assert f"at least {kappa.low:.3f} (95 % interval)" in found.reason


def test_a_calibration_without_the_scores_of_its_queries_can_be_read_and_does_not_gate(
    tmp_path: Path,
) -> None:
    edited(tmp_path, lambda found: found.pop("queries"))
    found = gated(tmp_path, scored(tmp_path / "run"), "judge>=0.1")
    assert (found.verdict, found.exit_status) == (GateVerdict.REFUSED, 1)
    assert "lacks the scores of its queries, so its kappa cannot be checked; make it again" in found.reason


def test_a_name_is_that_of_a_file(tmp_path: Path) -> None:
    for name in ("a/b", "../x", "x" * 81):
        with pytest.raises(InputError, match="not a name"):
            keep(calibration(), name, tmp_path)
    assert name_for("a b/../c é", CRITERIA) == "a-b-..-c-cccccccc"
    assert name_for("é", CRITERIA) == "judge-cccccccc"


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
    run = broken(tmp_path / "run", **lacking)
    held = gated(tmp_path, run, "f1>=0.9")
    assert (held.verdict, held.exit_status) == (GateVerdict.HOLDS, 0)
    assert f"note: judged although incomplete in what no rule is about: {note}" in "\n".join(gate_lines(held))
    failed = gated(tmp_path, run, "f1>=0.9", "passed by task>=1.0", "bleu>=0.5")
    assert (failed.verdict, failed.exit_status) == (GateVerdict.FAILS, 1)


def test_a_gate_on_a_judge_asks_for_its_judgements_and_for_no_answers(tmp_path: Path) -> None:
    keep(calibration(), None, tmp_path)
    away = broken(tmp_path / "away", unjudged=2)
    for partial in (False, True):
        found = gated(tmp_path, away, "f1>=0.9", "judge>=0.8", partial=partial)
        assert (found.verdict, found.exit_status) == (GateVerdict.REFUSED, 16)
        assert found.reason == "the run is incomplete: 2 whose judge could not be asked, for judge>=0.8"
    unanswered = gated(tmp_path, broken(tmp_path / "un", unanswered=3), "judge>=0.8")
    assert unanswered.holds
    assert unanswered.notes == (
        "judged although incomplete in what no rule is about: 3 cases without a whole answer",
    )
    assert gated(tmp_path, scored(tmp_path / "whole"), "judge>=0.8").notes == ()


def test_scores_are_asked_for_by_every_gate(tmp_path: Path) -> None:
    run = broken(tmp_path / "run", unjudged=1)
    # A case that was to come never did.
    summary = (run / "summary.json").read_text()
    (run / "summary.json").write_text(summary.replace('"selected_cases": 20', '"selected_cases": 21'))
    found = gated(tmp_path, run, "f1>=0.9")
    assert (found.verdict, found.exit_status) == (GateVerdict.REFUSED, 16)


def test_a_run_whose_judge_was_away_may_be_a_baseline_and_is_not_complete(tmp_path: Path) -> None:
    run = broken(tmp_path / "run", unjudged=3)
    assert save(RunLog(run), "main", tmp_path).cases == 20
    assert read_entry(RunLog(run)).state == "incomplete"
    # Also where its gate asked for no judge, and let it pass.
    manifest = (run / "manifest.json").read_text()
    (run / "manifest.json").write_text(manifest.replace('"exit_status": 16', '"exit_status": 0'))
    assert (read_entry(RunLog(run)).state, scores_of(run).incomplete) == ("incomplete", "")
