"""A judge asked about queries of known faults, how far it agrees with F1, and what its reasons name."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import stdev
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins
from support.calibrated import BANK
from support.consoles import printed
from support.judged import CRITERIA, MODEL, judged, judged_record, judgement
from support.records import record_of

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import LABELS, name_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.judge.agreement import (
    NO_REASON,
    UNCLEAR,
    agreements,
    all_ratings,
    load_issues,
    parse_issues,
)
from retrocypher.plugins.judge.bank import load_bank
from retrocypher.plugins.judge.bank_candidates import BankEntry
from retrocypher.plugins.judge.calibration import CalibrationItem, draw_sample
from retrocypher.plugins.judge.calibration_run import Calibrated, ask_all, calibrate, sizes
from retrocypher.plugins.judge.criteria import load_criteria
from retrocypher.plugins.judge.judge import Task
from retrocypher.plugins.reporting.judge_tables import agreement_table, calibration_table
from retrocypher.plugins.runs.record import VARIANTS, Judgement, Record, fields_of

Score = Callable[[Task], float | str]
"""Scores a task, or names the kind of error that keeps it from that."""


@cache
def bank() -> tuple[BankEntry, ...]:
    return load_bank("development", BANK)


@cache
def drawn(per_error: int = 3) -> tuple[CalibrationItem, ...]:
    return tuple(draw_sample(bank(), load_questions().questions, per_error))


@cache
def wrong_queries() -> frozenset[tuple[str, str]]:
    return frozenset((each.question.text, each.cypher) for each in drawn() if not each.right)


def is_wrong(task: Task) -> bool:
    return (task.case.question, str(task.case.cypher)) in wrong_queries()


def place_of(task: Task) -> int:
    return int(task.case.case_id.rpartition("#")[2])


def judge(score: Score) -> Callable[[Iterable[Task]], Iterator[tuple[Task, Judgement]]]:
    def ask(tasks: Iterable[Task]) -> Iterator[tuple[Task, Judgement]]:
        # In another order than asked, as threads answer.
        for task in reversed(list(tasks)):
            said, cached = score(task), task.repeat > 0
            if isinstance(said, str):
                error = {"kind": said, "message": "no"}
                yield task, judgement(task.variant, None, error=error, cached=cached)
            else:
                yield task, judgement(task.variant, said, cost=0.5, cached=cached)

    return ask


def calibrated(score: Score, **options: Any) -> Calibrated:
    given = {"bank": "a bank", "per_error": 3, "variants": ("with_reference",), **options}
    return calibrate("j", "model-j", load_criteria(), judge(score), bank(), load_questions(), **given)


def test_the_sample_has_each_label_and_as_many_right_queries() -> None:
    sample = drawn()
    labels = Counter(each.group for each in sample if each.kind == "error")
    there = Counter(name_of(each.label or "") for each in bank() if each.kind == "error")
    assert labels == {label: min(3, count) for label, count in there.items()}
    wrong = sum(not each.right for each in sample)
    assert wrong <= len(sample) - wrong <= wrong + 6
    # What is written otherwise has its reference beside it.
    references = {each.question.id for each in sample if each.kind == "reference"}
    assert {each.question.id for each in sample if each.kind == "neutral"} <= references
    found = sizes(sample)
    assert found["clause_order"] == 4
    assert found["alias_names"] == 8
    assert len({each.question.task for each in sample}) == 10
    # Operators take turns, so that none stands for its label.
    syntax = [each.operator for each in sample if each.group == "syntax_error"]
    assert len(set(syntax)) == 3


def test_seed_and_size_alone_decide_the_sample() -> None:
    questions = load_questions().questions
    again = draw_sample(list(bank()), questions, 3)
    assert [each.id for each in again] == [each.id for each in drawn()]
    other = draw_sample(bank(), questions, 3, seed=1)
    assert [each.id for each in other] != [each.id for each in again]


def test_a_judge_that_knows_has_a_kappa_of_1_and_one_that_says_the_same_of_all_0() -> None:
    done = calibrated(lambda task: 0.1 if is_wrong(task) else 0.9)
    found = done.calibration.variants["with_reference"]
    assert (found.false_accept_rate.value, found.false_reject_rate.value) == (0, 0)
    assert found.false_accept_rate.high > 0
    assert (found.kappa.value, found.auroc.value) == (1, 1)
    assert 0.85 < found.kappa.low < 1
    assert not done.faults
    found = calibrated(lambda task: 0.8).calibration.variants["with_reference"]
    assert (found.false_accept_rate.value, found.false_reject_rate.value) == (1, 0)
    assert (found.kappa.value, found.auroc.value) == (0, 0.5)


def test_rates_are_those_that_are_counted_by_hand() -> None:
    draw = np.random.default_rng(3)
    scores = [float(each) for each in draw.integers(0, 11, size=len(drawn())) / 10]
    found = calibrated(lambda task: scores[place_of(task)]).calibration.variants["with_reference"]
    seen = list(zip(drawn(), scores, strict=True))
    accepted = [score >= 0.5 for item, score in seen if not item.right]
    rejected = [score < 0.5 for item, score in seen if item.right]
    assert found.false_accept_rate.value == pytest.approx(np.mean(accepted))
    assert found.false_reject_rate.value == pytest.approx(np.mean(rejected))
    assert found.by_error["limit"].rate.value == pytest.approx(
        np.mean([score >= 0.5 for item, score in seen if item.group == "limit"])
    )
    assert found.by_right["reference"].rate.n == sizes(drawn())["reference"]
    order = {item.question.id: score for item, score in seen if item.kind == "reference"}
    moved = [score - order[item.question.id] for item, score in seen if item.group == "alias_names"]
    alias = found.sensitivity["alias_names"]
    assert alias.change.value == pytest.approx(np.mean(moved))
    assert alias.size.value == pytest.approx(np.mean(np.abs(moved)))
    assert found.sensitivity["clause_order"].turned.n == 4


def test_repeats_tell_how_far_a_judge_differs_from_itself() -> None:
    def score(task: Task) -> float:
        # One query in three is judged 0.4, 0.6, 0.4; all others 0.9 each time.
        return 0.9 if place_of(task) % 3 else 0.4 + 0.2 * (task.repeat % 2)

    found = calibrated(score, repeats=3).calibration
    retest = found.variants["with_reference"].test_retest
    share = np.mean([place % 3 == 0 for place in range(len(drawn()))])
    assert retest.repeats == 3
    assert retest.largest == pytest.approx(0.2)
    assert retest.turned.value == pytest.approx(share)
    assert retest.spread.value == pytest.approx(share * stdev([0.4, 0.6, 0.4]))
    assert found.calls == {"all": 3 * len(drawn()), "cached": 2 * len(drawn())}
    assert found.cost == pytest.approx(0.5 * len(drawn()))
    assert calibrated(lambda task: 0.9).calibration.variants["with_reference"].test_retest.largest is None


def test_what_has_no_score_is_in_no_rate() -> None:
    done = calibrated(lambda task: "malformed" if is_wrong(task) else 0.9)
    found = done.calibration.variants["with_reference"]
    assert found.unjudged == {"malformed": sum(not each.right for each in drawn())}
    assert found.false_accept_rate.value is None
    assert found.kappa.value is None
    # No error kind is left out for that.
    assert {each.rate.value for each in found.by_error.values()} == {None}
    assert len(found.by_error) == 19
    # The judge's own fault, which asking again does not mend.
    assert not done.faults
    lost = calibrated(lambda task: "timeout" if is_wrong(task) else 0.9)
    assert lost.faults == {"timeout": sum(not each.right for each in drawn())}


def test_a_judge_without_a_score_is_not_said_to_have_been_asked_once() -> None:
    once, twice = (calibrated(lambda task: "malformed", repeats=n).calibration for n in (1, 2))
    assert "test-retest     n/a: each query was judged once" in printed(calibration_table(once))
    assert "test-retest     n/a: no query has a score each time" in printed(calibration_table(twice))


def test_both_variants_are_measured_apart() -> None:
    done = calibrated(
        lambda task: 0.9 if task.variant == "without_reference" or not is_wrong(task) else 0.1,
        variants=VARIANTS,
    )
    plain = to_builtins(done.calibration.report())
    shown, blind = (plain["variants"][name] for name in VARIANTS)
    assert (plain["variant"], shown["kappa"]["value"], blind["kappa"]["value"]) == ("with_reference", 1, 0)
    for name in ("false_accept_rate", "false_reject_rate", "by_error", "kappa", "test_retest"):
        assert plain[name] == shown[name]


def test_rows_are_shown_where_the_criteria_say_so() -> None:
    references = (each for each in drawn() if each.kind == "reference")
    item = next(each for each in references if "route" not in each.question.gold[0])
    gold = [list(row.values()) for row in item.question.gold]
    shown: list[Task] = []
    ask = judge(lambda task: shown.append(task) or 0.5)
    for rows in (0, 5):
        criteria = replace(load_criteria(), rows=rows)
        ask_all([item], "schema", criteria, ask, variants=("with_reference",))
        task = shown.pop()
        assert task.case.rows == (gold if rows else None)
        assert task.case.reference == task.case.cypher == item.question.reference_cypher


def test_a_bank_of_other_questions_is_refused() -> None:
    ask, questions = judge(lambda task: 1), load_questions()
    with pytest.raises(InputError, match="holds no error of one of these questions"):
        calibrate("j", "model-j", load_criteria(), ask, (), questions, bank="a bank", per_error=1)


TASKS = ("precursors", "best_yield")
REASONS = yaml.safe_load(Path(__file__).with_name("reasons.yaml").read_text("utf-8"))


def records() -> list[Record]:
    draw = np.random.default_rng(2)
    made = []
    for number in range(60):
        f1 = float(draw.choice([0.0, 0.5, 1.0]))
        score = float(np.clip(np.round(0.7 * f1 + 0.4 * draw.random(), 2), 0, 1))
        question = {"question_id": f"q-{number}", "task": TASKS[number % 2]}
        made.append(judged_record(f"case-{number:02d}", f1, judged(score, 1 - score), **question))
    return made


def test_every_variant_is_measured_over_all_cases_and_by_task() -> None:
    drawn_records = records()
    targets = {f"q-{number}": f"molecule {number // 2}" for number in range(60)}
    shown, blind = agreements(all_ratings(drawn_records, targets))
    assert (shown.judge, shown.criteria) == (MODEL, CRITERIA)
    assert (shown.variant, blind.variant) == ("with_reference", "without_reference")
    # As the tasks are listed everywhere.
    assert list(shown.by_task) == ["precursors", "best_yield"]
    assert shown.overall.judged == 60
    assert shown.by_task["best_yield"].judged == 30
    assert shown.overall.f1.clusters == 30
    assert shown.overall.auroc.value == pytest.approx(1 - blind.overall.auroc.value)
    assert shown.overall.kendall.value == pytest.approx(-blind.overall.kendall.value)
    agree = [(each.judge.with_reference.score >= 0.5) == (each.scores.f1 == 1) for each in drawn_records]
    accepted, right = shown.overall.accepted.value, shown.overall.right.value
    by_chance = accepted * right + (1 - accepted) * (1 - right)
    assert shown.overall.kappa.value == pytest.approx((np.mean(agree) - by_chance) / (1 - by_chance))
    assert shown.overall.kappa.low < shown.overall.kappa.value < shown.overall.kappa.high


def test_the_cases_that_lie_furthest_apart_come_first() -> None:
    seen = [
        judged_record("a", 1.0, judged(0.9)),
        judged_record("b", 1.0, judged(0.1, reason="The arrow is reversed.")),
        judged_record("c", 0.0, judged(0.8)),
        judged_record("d", 0.5, judged(0.5)),
    ]
    (found,) = agreements(all_ratings(seen, {}), most=2)
    assert [each.case_id for each in found.disagreements] == ["b", "c"]
    most = {"case_id": "b", "task": "precursors", "score": 0.1, "f1": 1.0}
    assert fields_of(found.disagreements[0]) == {**most, "reason": "The arrow is reversed."}


def test_a_judgement_without_a_score_is_counted_and_no_zero() -> None:
    late = {"kind": "timeout", "message": "no answer"}
    seen = [
        judged_record("a", 1.0, judged(1.0)),
        judged_record("b", 1.0, judged(None)),
        judged_record("c", 0.0, judged(None, error=late)),
        judged_record("d", 0.0, judged(None, error=late)),
        judged_record("e", None, judged(1.0)),
        record_of("f", scores={"f1": 1.0}),
    ]
    (found,) = agreements(all_ratings(seen, {}))
    assert found.overall.judged == 1
    assert found.overall.score.value == 1
    assert found.overall.unjudged == {"malformed": 1, "timeout": 2}
    assert agreements(all_ratings([record_of("a", scores={"f1": 1.0})], {})) == []


def test_the_table_fits_80_columns_and_shows_names_of_others_plainly() -> None:
    drawn_records = records()
    drawn_records[0].case_id = "a\x1b[31m case"
    drawn_records[0].judge.with_reference.score = 1 - round(drawn_records[0].scores.f1)
    text = printed(agreement_table(agreements(all_ratings(drawn_records, {}))))
    assert "agreement with execution, with reference" in text
    assert "\x1b" not in text
    assert text.count("furthest apart") == 2
    rows = [line.split() for line in text.splitlines() if line.startswith("all ")]
    assert [row[1] for row in rows] == ["60", "60"]


@pytest.mark.parametrize(("label", "reasons"), REASONS.items())
def test_reasons_are_filed_as_a_person_would(label: str, reasons: list[str]) -> None:
    assert {reason: load_issues().of(reason)[0] for reason in reasons} == dict.fromkeys(reasons, label)


def test_a_reason_may_name_several_issues_and_praise_is_none() -> None:
    issues = load_issues()
    assert issues.of("The arrows point the right way and the columns are correct.") == (UNCLEAR,)
    assert issues.of("The direction is correct, but the solvents are missing.") == ("missing_component",)
    assert issues.of("  ") == (NO_REASON,)
    said = "It omits the solvents. The PRODUCES arrow is reversed; the solvents are missing."
    assert load_issues().of(said) == ("missing_component", "traversal_direction")


@given(st.text(max_size=300))
def test_any_text_is_filed_somewhere(reason: str) -> None:
    found = load_issues().of(reason)
    assert found
    assert set(found) <= {*LABELS, NO_REASON, UNCLEAR}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "is not YAML"),
        ("[]", "must hold faults, praise and issues"),
        ("{faults: [], praise: [a], issues: []}", "lists that are not empty"),
        ("{faults: [a], praise: [a], issues: [{label: limit}]}", "must hold label, says and about"),
        ("{faults: [a], praise: [a], issues: [{label: x, says: [], about: []}]}", "is no label"),
        ("{faults: [a], praise: [a], issues: [{label: limit, says: a, about: []}]}", "a list of words"),
    ],
)
def test_a_damaged_file_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_issues(text)
