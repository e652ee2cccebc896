"""Checklists, and what a model's answer to one says."""

import json

import pytest

from retrocypher.kg.questions.question import TASKS, setting_of
from retrocypher.prompts.validation.finding import INTENTS
from retrocypher.prompts.validation.validator import checklist_for, read_checklist_answer

ITEMS = checklist_for("single_step", "best_yield")


def test_a_checklist_is_for_setting_and_task() -> None:
    plain = checklist_for("single_step", None)
    assert ITEMS[: len(plain)] == plain
    assert {item.label for item in ITEMS} - {item.label for item in plain} == {
        "missing_null_check",
        "wrong_aggregation_or_order",
    }
    assert checklist_for("multi_step", None) != plain


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_points_of_its_own(task: str) -> None:
    intent = next(each for each in INTENTS if each == task)
    setting = setting_of(task)
    assert len(checklist_for(setting, intent)) > len(checklist_for(setting, None))


@pytest.mark.parametrize(
    ("answer", "valid", "found"),
    [
        ('{"valid": true, "errors": []}', True, []),
        ('{"valid": "yes"}', True, []),
        ('{"errors": []}', True, []),
        ("Valid.", True, []),
        (
            '{"valid": false, "errors": [{"item": 3, "problem": "turned"}]}',
            False,
            [(ITEMS[2].label, "turned")],
        ),
        ('{"valid": false, "errors": ["turned"]}', False, [("other", "turned")]),
        ('{"valid": false, "errors": "turned"}', False, [("other", "turned")]),
        ('{"valid": false, "errors": [{"item": "3", "problem": "x"}]}', False, [(ITEMS[2].label, "x")]),
        ('{"valid": false, "errors": [{"item": 99, "problem": "x"}]}', False, [("other", "x")]),
        # Errors count, whatever else is said.
        ('{"valid": true, "errors": ["turned"]}', False, [("other", "turned")]),
        ("", None, []),
        ("The query seems fine, but who knows.", None, []),
        ('{"valid": "perhaps"}', None, []),
        ('{"verdict": true}', None, []),
        ("[]", None, []),
    ],
)
def test_what_an_answer_says(answer: str, valid: bool | None, found: list[tuple[str, str]]) -> None:
    said = read_checklist_answer(answer, ITEMS)
    assert said.valid is valid
    assert [(finding.label, finding.message) for finding in said.findings] == found


@pytest.mark.parametrize("answer", ['{"valid": false}', "invalid", '{"valid": false, "errors": []}'])
def test_invalid_without_a_reason_is_one_finding(answer: str) -> None:
    said = read_checklist_answer(answer, ITEMS)
    assert said.valid is False
    assert [finding.label for finding in said.findings] == ["other"]


def test_an_error_is_one_finding_however_deep() -> None:
    entry = {"item": 1, "problem": {"what": ["a", {"b": 1}]}, "fix": "c"}
    (finding,) = read_checklist_answer(json.dumps({"errors": [entry]}), ITEMS).findings
    assert finding.label == ITEMS[0].label
    assert finding.message.endswith(": c")
