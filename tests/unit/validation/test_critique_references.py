import pytest
from support.schemas import default_schema

from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.validation.validator import SchemaValidator

QUESTIONS = load_questions().questions


@pytest.mark.parametrize("task", TASKS)
def test_no_fault_is_found_with_any_reference(task: str) -> None:
    validator = SchemaValidator(default_schema(), "benchmark")
    for question in (each for each in QUESTIONS if each.task == task):
        found = validator.validate(question.reference_cypher, question.text)
        assert found.valid, (question.id, found.findings)
        assert (found.asked.intent, found.note) == (task, ""), question.id


@pytest.mark.parametrize("task", TASKS)
def test_no_fault_is_found_where_only_the_words_count(task: str) -> None:
    validator = SchemaValidator(default_schema(), "as-asked")
    for question in [each for each in QUESTIONS if each.task == task][::20]:
        assert not validator.validate(question.reference_cypher, question.text).findings
