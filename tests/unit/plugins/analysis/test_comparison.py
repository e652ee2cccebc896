"""Two runs in; what is compared, what is refused, and what is said besides."""

import doctest
import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import to_builtins
from support.compared import case, question, run_of, scores_of
from support.consoles import printed
from support.manifests import manifest_of
from support.records import write_run
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.comparison import compare, compare_runs
from retrocypher.plugins.analysis.run_scores import RunScores
from retrocypher.plugins.analysis.scores import (
    CaseScores,
    ScoreTable,
    metric_validity,
    slice_boxes,
    slice_means,
)
from retrocypher.plugins.reporting.text import render_comparison
from retrocypher.plugins.statistics.paired import Verdict, holm

WORSE = [1.0] * 10 + [0.0] * 10
BETTER = [1.0] * 20
Other = Callable[..., RunScores]

PANEL = ("task", "prompt", "shot")


def said(compared: Any) -> str:
    return " ".join(printed(render_comparison(compared)).split())


@pytest.fixture
def a(tmp_path: Path) -> RunScores:
    """The run before, in which half of the cases are wrong."""
    return scores_of(run_of(tmp_path / "a", WORSE))


@pytest.fixture
def b(tmp_path: Path) -> Other:
    """Writes the run that it is compared with."""
    return lambda scores=BETTER, **changed: scores_of(run_of(tmp_path / "b", scores, **changed))


def test_pairs_are_compared_by_slice(a: RunScores, b: Other) -> None:
    found = compare_runs(a, b())
    plain = to_builtins(found)
    assert [each["slice"] for each in plain["slices"]] == [{"task": "conditions"}, {"task": "precursors"}]
    assert plain["overall"]["verdict"] == "improved"
    assert (plain["overall"]["wins"], plain["overall"]["losses"], plain["overall"]["ties"]) == (10, 0, 10)
    assert plain["overall"]["difference"]["value"] == 0.5
    assert [each["found"] for each in plain["power"]] == sorted(each["found"] for each in plain["power"])
    assert len(plain["changes"]) == 10
    assert plain["on_common"] is False
    text = said(found)
    assert "improved" in text
    assert "conditions-011-P5-ZS-none-m: 0.000 before, 1.000 now" in text
    # A small change is shown with the digits that tell it.
    assert ": 0.0000 before, 0.0001 now" in said(compare_runs(a, b([*WORSE[:-1], 0.00012])))


def test_a_table_with_the_longest_words_fits_80_columns(tmp_path: Path) -> None:
    asked = [question(number, task="multi_step_precursors") for number in range(20)]
    scores = {"a": [1.0, 0.0] * 10, "b": [0.0, 1.0] * 10}
    runs = (scores_of(run_of(tmp_path / name, each, questions=asked)) for name, each in scores.items())
    found = compare_runs(*runs, margin=0.01)
    row, *_ = (line for line in printed(render_comparison(found)).splitlines() if "inconclusive" in line)
    assert row.split()[0] == "multi_step_precursors"
    assert "…" not in said(found)


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"graph": {"fingerprint": "b" * 64}}, "graph fingerprint: aaaaaaaaaaaa and bbbbbbbbbbbb"),
        ({"graph": {"schema": "another"}}, "schema text"),
        ({"options": {"query_timeout": 5.0}}, "--query-timeout: 30.0 and 5.0"),
        ({"options": {"key_encoder": "all-mpnet-base-v2@0.9"}}, "--key-encoder: none and all-mpnet"),
    ],
)
def test_runs_that_were_not_measured_alike_are_refused_or_compared_loudly(
    a: RunScores, b: Other, changed: dict[str, Any], what: str
) -> None:
    other = b(manifest=changed)
    with pytest.raises(InputError) as raised:
        compare_runs(a, other)
    assert what in str(raised.value)
    assert "--on-common" in str(raised.value)
    found = compare_runs(a, other, on_common=True)
    assert to_builtins(found)["on_common"] is True
    assert "MEASURED UNDER DIFFERENT CONDITIONS" in said(found)


def test_what_is_compared_may_differ_and_is_reported(a: RunScores, b: Other) -> None:
    changed = {
        "models": [{"label": "m", "kind": "openai", "argument": "gpt-x"}],
        "prompts": {"P5": "1" * 64},
        "options": {"seed": 3, "case_threshold": 0.5},
        "versions": {"python": "3.12.0", "retrocypher": "0.1.0"},
    }
    other = b(manifest=changed)
    found = compare_runs(a, other)
    assert set(found.varied) == {"models", "prompt P5", "--seed", "version of python"}
    assert "models: m (oracle) in A, m (openai:gpt-x) in B" in said(found)
    # A share of passed cases is of a threshold; F1 is not.
    with pytest.raises(InputError, match=r"--case-threshold: 1.0 and 0.5"):
        compare_runs(a, other, "passed")


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"text": "Who makes it?"}, "text of precursors-002, precursors-004 (2 in all)"),
        ({"gold": question(6).gold * 2}, "gold answer or reference query of precursors-002"),
        ({"reference_cypher": "RETURN 2"}, "gold answer or reference query of precursors-002"),
        ({"target": "N", "slots": {"target": "N"}}, "gold answer or reference query of precursors-002"),
    ],
)
def test_other_questions_under_the_same_id_are_refused_or_left_out(
    a: RunScores, b: Other, changed: dict[str, Any], what: str
) -> None:
    other = b(questions=[question(number, **(changed if number in (2, 4) else {})) for number in range(20)])
    with pytest.raises(InputError) as raised:
        compare_runs(a, other)
    assert what in str(raised.value)
    found = compare_runs(a, other, on_common=True)
    assert found.left_out == ("precursors-002", "precursors-004")
    assert found.overall.difference.n == 18
    assert "precursors-002" in said(found)


def test_a_run_without_manifest_is_not_known_to_be_like_another(tmp_path: Path, a: RunScores) -> None:
    alone = run_of(tmp_path / "b", BETTER)
    (alone / "manifest.json").unlink()
    with pytest.raises(InputError, match="graph fingerprint: aaaaaaaaaaaa and not known"):
        compare_runs(a, scores_of(alone))


def test_a_sample_is_compared_on_the_common_questions_and_said(a: RunScores, b: Other) -> None:
    found = compare_runs(a, b(BETTER[:12], manifest={"options": {"sample": 12}}))
    assert found.overall.difference.n == 12
    assert len(found.only_a) == 8
    text = said(found)
    assert "a sample of 12 questions" in text
    assert "only in A: 8 (" in text
    assert "and 3 more)" in text


def test_errors_and_missing_cases_are_told_and_never_a_score(a: RunScores, b: Other) -> None:
    broken = b([None, *BETTER[1:]])
    assert broken.incomplete == "1 with an infrastructure error"
    found = compare_runs(a, broken)
    assert found.overall.difference.n == 19
    assert found.unscored == ("precursors-000-P5-ZS-none-m",)
    text = said(found)
    assert "INCOMPLETE: 1 with an infrastructure error" in text
    assert "infrastructure errors in B: 1, without scores" in text


@pytest.mark.parametrize(
    ("manifest", "incomplete", "part"),
    [
        ({}, "", ""),
        ({"cases": 30}, "", "20 of 30 planned cases"),
        ({"cases": 30, "exit_status": None}, "not ended", ""),
        ({"exit_status": 2}, "interrupted", ""),
        ({"options": {"sample": 20}}, "", "a sample of 20 questions"),
    ],
)
def test_what_a_run_is_of_itself(b: Other, manifest: dict[str, Any], incomplete: str, part: str) -> None:
    side = b(manifest=manifest)
    assert (side.incomplete, side.part) == (incomplete, part)


def test_a_record_of_an_unknown_question_is_refused(tmp_path: Path) -> None:
    asked = [question(number) for number in range(3)]
    folder = write_run(tmp_path / "a", [case(each, 1.0) for each in asked], asked[:2], manifest_of())
    with pytest.raises(InputError, match=r"precursors-002 is in records.jsonl and not in questions.jsonl"):
        scores_of(folder)


def test_nothing_in_common_is_refused_by_name(a: RunScores, b: Other) -> None:
    others = [question(number) for number in range(100, 120)]
    with pytest.raises(InputError, match=r"/a and .*/b: they have no case in common, paired"):
        compare_runs(a, b(questions=others))


def test_equal_runs_of_few_questions_leave_open_what_others_do(a: RunScores, b: Other) -> None:
    found = compare_runs(a, b(WORSE)).overall
    assert (found.ties, found.p_value, found.verdict) == (20, 1, Verdict.INCONCLUSIVE)
    assert (found.difference.low, found.difference.high) == pytest.approx((-0.168, 0.168), abs=2e-3)


def test_a_run_with_nothing_but_errors_is_named_with_why_and_the_remedy(tmp_path: Path) -> None:
    good, bad = run_of(tmp_path / "good", WORSE), run_of(tmp_path / "bad", [None] * 20)
    text = (bad / "records.jsonl").read_text()
    (bad / "records.jsonl").write_text(text.replace('"timeout"', '"unreachable"', 3))
    for sides in ((good, bad), (bad, good)):
        with pytest.raises(InputError) as raised:
            compare_runs(*map(scores_of, sides))
        said = str(raised.value)
        assert said.startswith(f"{bad} has no scores: all 20 cases have an infrastructure error")
        assert "(17 model timeout, 3 model unreachable)" in said
        assert "repeat the command to resume the run" in said
    with pytest.raises(InputError, match=r"has no scores: its only case has an infra.* \(1 model timeout\)"):
        compare_runs(scores_of(good), scores_of(run_of(tmp_path / "one", [None])))
    with pytest.raises(InputError, match="has no case on record; run some first"):
        compare_runs(scores_of(run_of(tmp_path / "none", [])), scores_of(good))


def test_a_case_that_comes_twice_is_refused_by_name(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", WORSE)
    file = run / "records.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    once = "has 1 case more than once: conditions-003-P5-ZS-none-m. Keep one line of each, or"
    often = r"20 cases more than once: \S+, \S+, \S+ and 17 more. Keep one line"
    for kept, said in (([*lines, lines[3]], once), (lines * 3, often)):
        file.write_text("".join(kept))
        with pytest.raises(InputError, match=said):
            scores_of(run)


def test_steering_characters_of_a_label_are_shown_as_escapes(b: Other) -> None:
    run = b(model="m\x1b[31m")
    text = said(compare_runs(run, run, by=(("model",),)))
    assert "\x1b" not in text
    assert r"m\x1b[31m" in text


TARGETS = {f"q{number}": f"t{number // 2}" for number in range(40)}
TASKS = ("precursors", "conditions")


def record(number: int, f1: float | None, **more: Any) -> CaseScores:
    scores = None if f1 is None else {"f1": f1, "bleu": 0.5 + f1 / 4, "meteor": 0.7, "rouge_l": None}
    labels = {"setting": "single_step", "task": TASKS[number % 2], "steps": 1, "phrasing": 1, "prompt": "P5"}
    labels |= {"shot": "ZS", "loop": "none", "model": "m", **more}
    return CaseScores(question_id=f"q{number}", scores=scores, **labels)


def table(records: Sequence[CaseScores]) -> ScoreTable:
    return ScoreTable(records, TARGETS, ("f1", "bleu", "meteor", "rouge_l"))


def run(scores: Sequence[float | None], **more: Any) -> ScoreTable:
    return table([record(number, f1, **more) for number, f1 in enumerate(scores)])


def test_slices_are_every_combination_that_occurs() -> None:
    scores = table([record(number, 1.0, prompt=prompt) for prompt in ("P10", "P9") for number in range(4)])
    slices = [labels for labels, _ in scores.slices(("prompt", "task"))]
    assert slices == [
        {"prompt": prompt, "task": task} for prompt in ("P9", "P10") for task in ("conditions", "precursors")
    ]
    ((labels, places),) = scores.slices(())
    assert labels == {}
    assert len(places) == len(scores) == 8


def test_how_a_molecule_is_named_changes_no_interval() -> None:
    records = [record(number, number % 7 / 6) for number in range(40)]
    hashed = {question: sha256(target.encode()).hexdigest() for question, target in TARGETS.items()}
    one, other = ScoreTable(records, TARGETS, ("f1",)), ScoreTable(records[::-1], hashed, ("f1",))
    for by in ((), ("task",)):
        assert list(slice_means(one, by)) == list(slice_means(other, by))


def test_means_of_slices_leave_out_what_has_no_score() -> None:
    scores = run([1.0, 0.0] * 10 + [None, 1.0])
    whole, other = slice_means(scores, ("task",))
    assert (whole.slice, whole.mean.value, whole.mean.n) == ({"task": "conditions"}, 1 / 11, 11)
    assert (other.mean.value, other.mean.n, other.mean.clusters) == (1, 10, 10)
    (none,) = slice_means(scores, (), ("rouge_l",))
    assert to_builtins(none) == {
        "slice": {},
        "metric": "rouge_l",
        "mean": {"value": None, "low": None, "high": None, "n": 0, "clusters": 0},
    }


def test_a_box_for_each_task_prompt_and_shot() -> None:
    scores = run([1.0, 0.0] * 10 + [None])
    boxes = list(slice_boxes(scores, PANEL, metrics=("f1", "rouge_l")))
    assert [each.slice["task"] for each in boxes] == ["conditions", "precursors"]
    assert [tuple(each.slice) for each in boxes] == [PANEL] * 2
    assert [each.box.median for each in boxes] == [0, 1]
    assert json.loads(json.dumps(to_builtins(boxes[0])))["box"]["n"] == 10


def test_validity_is_null_where_a_score_never_varies_or_is_not_there() -> None:
    scores = run([1.0, 0.0, 0.5, 1.0] * 10)
    bleu, meteor, rouge = metric_validity(scores)
    assert bleu.pearson.value == bleu.spearman.value == pytest.approx(1)
    assert (meteor.pearson.value, meteor.spearman.value) == (None, None)
    assert (rouge.pearson.n, rouge.pearson.value) == (0, None)
    assert json.loads(json.dumps(to_builtins(bleu)))["against"] == "f1"


def test_runs_with_one_prompt_each_are_paired_by_question() -> None:
    found = compare(run([0.0] * 40), run([1.0] * 30 + [0.0] * 10, prompt="P4"))
    assert found.paired_on == ("phrasing", "repeat", "shot", "loop", "model")
    assert (found.overall.wins, found.overall.ties, found.overall.verdict) == (30, 10, Verdict.IMPROVED)
    assert found.overall.p_holm is None
    assert [each.slice["task"] for each in found.slices] == ["conditions", "precursors"]
    assert [each.p_holm for each in found.slices] == holm([each.p_value for each in found.slices])
    assert len(found.changes) == 30
    assert json.loads(json.dumps(to_builtins(found)))["overall"]["verdict"] == "improved"


def test_cases_without_a_partner_or_score_are_listed() -> None:
    first = table([record(number, 1.0) for number in range(12)])
    second = table([record(number, None if number == 5 else 0.5) for number in range(2, 14)])
    found = compare(first, second)
    assert found.only_a == ("q0-P5-ZS-none-m", "q1-P5-ZS-none-m")
    assert found.only_b == ("q12-P5-ZS-none-m", "q13-P5-ZS-none-m")
    assert found.unscored == ("q5-P5-ZS-none-m",)
    assert found.overall.difference.n == found.overall.losses == 9
    paraphrased = [record(number, 1.0, phrasing=phrasing) for number in range(3) for phrasing in (1, 2)]
    found = compare(table(paraphrased), table(paraphrased[:-1]))
    assert found.only_a == ("q2-w2-P5-ZS-none-m",)


def test_the_largest_changes_come_first() -> None:
    found = compare(run([1.0, 1.0, 1.0, 0.5]), run([1.0, 0.5, 0.0, 1.0]))
    assert [(each.question_id, each.a, each.b) for each in found.changes] == [
        ("q2", 1.0, 0.0),
        ("q1", 1.0, 0.5),
        ("q3", 0.5, 1.0),
    ]


def test_the_order_of_records_changes_nothing() -> None:
    draw = np.random.default_rng(1)
    scores = draw.integers(0, 2, size=(2, 40)).astype(float)
    first, second = ([record(number, f1) for number, f1 in enumerate(each)] for each in scores.tolist())
    by = (("task",), ("task", "prompt"))
    found = compare(table(first), table(second), by=by)
    mixed = compare(table(first[::-1]), table(second[7:] + second[:7]), by=by)
    assert mixed == found
    assert len(found.slices) == 4


def test_runs_of_many_prompts_are_paired_prompt_by_prompt() -> None:
    both = [record(number, 1.0, prompt=prompt) for number in range(10) for prompt in ("P4", "P5")]
    found = compare(table(both), table(both), by=(("prompt",),), margin=0.6)
    assert "prompt" in found.paired_on
    assert [each.difference.n for each in found.slices] == [10, 10]
    assert {each.verdict for each in found.slices} == {Verdict.UNCHANGED}


def test_what_cannot_be_compared_is_refused() -> None:
    both = table([record(number, 1.0, shot=shot) for number in range(9) for shot in ("ZS", "1S-S")])
    with pytest.raises(InputError, match="the first run has several cases of q0-P5-none-m"):
        compare(both, run([1.0] * 9, shot="1S-D-S"))
    with pytest.raises(InputError, match="no pair has rouge_l on both sides"):
        compare(run([1.0]), run([1.0]), "rouge_l")


PAGE = CHECKOUT / "docs" / "compare-and-gate.md"


def test_every_example_comes_out() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted >= 15
    assert found.failed == 0
