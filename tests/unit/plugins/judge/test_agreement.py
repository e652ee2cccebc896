"""How far a judge agrees with F1, and which errors its reasons name."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.consoles import printed
from support.judged import CRITERIA, MODEL, judged_record
from support.records import record_of

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.judge.agreement import (
    NO_REASON,
    UNCLEAR,
    agreements,
    all_ratings,
    load_issues,
    parse_issues,
)
from retrocypher.plugins.reporting.judge_tables import agreement_table
from retrocypher.plugins.runs.record import Record, fields_of

TASKS = ("precursors", "best_yield")
REASONS = yaml.safe_load(Path(__file__).with_name("reasons.yaml").read_text("utf-8"))


def records() -> list[Record]:
    draw = np.random.default_rng(2)
    made = []
    for number in range(60):
        f1 = float(draw.choice([0.0, 0.5, 1.0]))
        score = float(np.clip(np.round(0.7 * f1 + 0.4 * draw.random(), 2), 0, 1))
        question = {"question_id": f"q-{number}", "task": TASKS[number % 2]}
        made.append(judged_record(f"case-{number:02d}", f1, score, blind=1 - score, **question))
    return made


def test_every_variant_is_measured_over_all_cases_and_by_task() -> None:
    told = records()
    targets = {f"q-{number}": f"molecule {number // 2}" for number in range(60)}
    shown, blind = agreements(all_ratings(told, targets))
    assert (shown.judge, shown.criteria) == (MODEL, CRITERIA)
    assert (shown.variant, blind.variant) == ("with_reference", "without_reference")
    # As the tasks are listed everywhere.
    assert list(shown.by_task) == ["precursors", "best_yield"]
    assert shown.overall.judged == 60
    assert shown.by_task["best_yield"].judged == 30
    assert shown.overall.f1.clusters == 30
    assert shown.overall.auroc.value == pytest.approx(1 - blind.overall.auroc.value)
    assert shown.overall.kendall.value == pytest.approx(-blind.overall.kendall.value)
    agree = [(each.judge.with_reference.score >= 0.5) == (each.scores.f1 == 1) for each in told]
    accepted, right = shown.overall.accepted.value, shown.overall.right.value
    by_chance = accepted * right + (1 - accepted) * (1 - right)
    assert shown.overall.kappa.value == pytest.approx((np.mean(agree) - by_chance) / (1 - by_chance))
    assert shown.overall.kappa.low < shown.overall.kappa.value < shown.overall.kappa.high


def test_the_cases_that_lie_furthest_apart_come_first() -> None:
    told = [
        judged_record("a", 1.0, 0.9),
        judged_record("b", 1.0, 0.1, reason="The arrow is reversed."),
        judged_record("c", 0.0, 0.8),
        judged_record("d", 0.5, 0.5),
    ]
    (found,) = agreements(all_ratings(told, {}), most=2)
    assert [each.case_id for each in found.disagreements] == ["b", "c"]
    most = {"case_id": "b", "task": "precursors", "score": 0.1, "f1": 1.0}
    assert fields_of(found.disagreements[0]) == {**most, "reason": "The arrow is reversed."}


def test_a_judgement_without_a_score_is_counted_and_no_zero() -> None:
    told = [
        judged_record("a", 1.0, 1.0),
        judged_record("b", 1.0, None, kind="malformed"),
        judged_record("c", 0.0, None, kind="timeout"),
        judged_record("d", 0.0, None, kind="timeout"),
        judged_record("e", None, 1.0),
        record_of("f", scores={"f1": 1.0}),
    ]
    (found,) = agreements(all_ratings(told, {}))
    assert found.overall.judged == 1
    assert found.overall.score.value == 1
    assert found.overall.unjudged == {"malformed": 1, "timeout": 2}
    assert agreements(all_ratings([record_of("a", scores={"f1": 1.0})], {})) == []


def test_the_table_fits_80_columns_and_shows_names_of_others_plainly() -> None:
    told = records()
    told[0].case_id = "a\x1b[31m case"
    told[0].judge.with_reference.score = 1 - round(told[0].scores.f1)
    text = printed(agreement_table(agreements(all_ratings(told, {}))))
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
