"""The schema validator on right and wrong queries, and checklists."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.questions.question import TASKS, setting_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.prompts.validation.finding import CONVENTIONS, INTENTS
from retrocypher.prompts.validation.validator import SchemaValidator, checklist_for, read_checklist_answer


def test_a_convention_that_there_is_not_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="'benchmrk' is none of benchmark, as-asked"):
        SchemaValidator(default_schema(), "benchmrk")  # type: ignore[arg-type]


QUESTIONS = load_questions().questions


@pytest.mark.parametrize("task", TASKS)
def test_no_fault_is_found_with_any_reference(task: str) -> None:
    benchmark, as_asked = (SchemaValidator(default_schema(), each) for each in CONVENTIONS)
    asked = [each for each in QUESTIONS if each.task == task]
    for question in asked:
        found = benchmark.validate(question.reference_cypher, question.text)
        assert found.valid, (question.id, found.findings)
        assert (found.asked.intent, found.note) == (task, ""), question.id
    for question in asked[::20]:
        assert not as_asked.validate(question.reference_cypher, question.text).findings


HERE = Path(__file__).parent


def read(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text("utf-8"))


ASKED = read("questions.yaml")
RIGHT: list[dict[str, str]] = read("right_queries.yaml")
WRONG: list[dict[str, str]] = read("wrong_queries.yaml")
assert min(len(RIGHT), len(WRONG)) >= 60


def validated(entry: dict[str, str]) -> Any:
    cypher = entry["cypher"]
    for name, smiles in ASKED["molecules"].items():
        cypher = cypher.replace(f"{{{name}}}", quote(smiles))
    question = ASKED["questions"][entry["asks"]].format(**ASKED["molecules"])
    convention = "as-asked" if entry.get("convention") == "as-asked" else "benchmark"
    return SchemaValidator(default_schema(), convention).validate(cypher, question)  # type: ignore[arg-type]


def name(entry: dict[str, str]) -> str:
    return f"{entry['asks']}-{entry.get('label', 'right')}"


@pytest.mark.parametrize("entry", RIGHT, ids=name)
def test_a_right_query_passes_in_whatever_style(entry: dict[str, str]) -> None:
    found = validated(entry)
    assert found.asked.intent is not None
    assert not found.findings


@pytest.mark.parametrize("entry", WRONG, ids=name)
def test_a_wrong_query_is_told_by_its_fault(entry: dict[str, str]) -> None:
    found = validated(entry)
    assert found.findings
    assert found.findings[0].label == entry["label"]


NO_REASON = "The validator calls the query invalid and does not say why."
ITEMS = checklist_for("single_step", "best_yield")


def test_a_checklist_is_for_setting_and_task() -> None:
    plain = checklist_for("single_step", None)
    assert ITEMS[: len(plain)] == plain
    assert {item.label for item in ITEMS} - {item.label for item in plain} == {
        "missing_null_check",
        "wrong_aggregation_or_order",
    }
    assert checklist_for("multi_step", None) != plain
    for intent in INTENTS:
        setting = setting_of(intent)
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
        ('{"valid": false}', False, [("other", NO_REASON)]),
        ("invalid", False, [("other", NO_REASON)]),
        ('{"valid": false, "errors": []}', False, [("other", NO_REASON)]),
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


def test_an_error_is_one_finding_however_deep() -> None:
    entry = {"item": 1, "problem": {"what": ["a", {"b": 1}]}, "fix": "c"}
    (finding,) = read_checklist_answer(json.dumps({"errors": [entry]}), ITEMS).findings
    assert finding.label == ITEMS[0].label
    assert finding.message.endswith(": c")
