"""Records in, slices and comparisons out; the worked examples of docs/compare-and-gate.md."""

import doctest
import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from msgspec import to_builtins
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.comparison import compare
from retrocypher.plugins.analysis.scores import (
    CaseScores,
    ScoreTable,
    metric_validity,
    slice_boxes,
    slice_means,
)
from retrocypher.plugins.statistics.intervals import Resampler
from retrocypher.plugins.statistics.paired import Verdict, holm

QUICK = Resampler(400)
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
        assert list(slice_means(one, by, resampler=QUICK)) == list(slice_means(other, by, resampler=QUICK))


def test_means_of_slices_leave_out_what_has_no_score() -> None:
    scores = run([1.0, 0.0] * 10 + [None, 1.0])
    whole, other = slice_means(scores, ("task",), resampler=QUICK)
    assert (whole.slice, whole.mean.value, whole.mean.n) == ({"task": "conditions"}, 1 / 11, 11)
    assert (other.mean.value, other.mean.n, other.mean.clusters) == (1, 10, 10)
    (none,) = slice_means(scores, (), ("rouge_l",))
    assert to_builtins(none) == {
        "slice": {},
        "metric": "rouge_l",
        "mean": {"value": None, "low": None, "high": None, "n": 0, "clusters": 0},
    }


PANEL = ("task", "prompt", "shot")


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
    found = compare(run([0.0] * 40), run([1.0] * 30 + [0.0] * 10, prompt="P4"), resampler=QUICK)
    assert found.paired_on == ("phrasing", "shot", "loop", "model")
    assert (found.overall.wins, found.overall.ties, found.overall.verdict) == (30, 10, Verdict.IMPROVED)
    assert found.overall.p_holm is None
    assert [each.slice["task"] for each in found.slices] == ["conditions", "precursors"]
    assert [each.p_holm for each in found.slices] == holm([each.p_value for each in found.slices])
    assert len(found.changes) == 30
    assert json.loads(json.dumps(to_builtins(found)))["overall"]["verdict"] == "improved"


def test_cases_without_a_partner_or_score_are_listed() -> None:
    first = table([record(number, 1.0) for number in range(12)])
    second = table([record(number, None if number == 5 else 0.5) for number in range(2, 14)])
    found = compare(first, second, resampler=QUICK)
    assert found.only_a == ("q0-P5-ZS-none-m", "q1-P5-ZS-none-m")
    assert found.only_b == ("q12-P5-ZS-none-m", "q13-P5-ZS-none-m")
    assert found.unscored == ("q5-P5-ZS-none-m",)
    assert found.overall.difference.n == found.overall.losses == 9
    paraphrased = [record(number, 1.0, phrasing=phrasing) for number in range(3) for phrasing in (1, 2)]
    found = compare(table(paraphrased), table(paraphrased[:-1]), resampler=QUICK)
    assert found.only_a == ("q2-w2-P5-ZS-none-m",)


def test_the_largest_changes_come_first() -> None:
    found = compare(run([1.0, 1.0, 1.0, 0.5]), run([1.0, 0.5, 0.0, 1.0]), resampler=QUICK)
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
    found = compare(table(first), table(second), by=by, resampler=QUICK)
    mixed = compare(table(first[::-1]), table(second[7:] + second[:7]), by=by, resampler=QUICK)
    assert mixed == found
    assert len(found.slices) == 4


def test_runs_of_many_prompts_are_paired_prompt_by_prompt() -> None:
    both = [record(number, 1.0, prompt=prompt) for number in range(10) for prompt in ("P4", "P5")]
    found = compare(table(both), table(both), by=(("prompt",),), resampler=QUICK)
    assert "prompt" in found.paired_on
    assert [each.difference.n for each in found.slices] == [10, 10]
    assert {each.verdict for each in found.slices} == {Verdict.UNCHANGED}


def test_what_cannot_be_compared_is_refused() -> None:
    both = table([record(number, 1.0, shot=shot) for number in range(9) for shot in ("ZS", "1S-S")])
    with pytest.raises(InputError, match="the first run has several cases of q0-P5-none-m"):
        compare(both, run([1.0] * 9, shot="1S-D-S"))
    with pytest.raises(InputError, match="they have no case in common"):
        compare(run([1.0]), table([record(3, 1.0)]))
    with pytest.raises(InputError, match="no pair has rouge_l on both sides"):
        compare(run([1.0]), run([1.0]), "rouge_l")


PAGE = CHECKOUT / "docs" / "compare-and-gate.md"


def test_every_example_comes_out() -> None:
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted >= 15
    assert found.failed == 0
