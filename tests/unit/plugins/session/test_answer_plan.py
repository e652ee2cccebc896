"""Written answers: who writes them, from what, and what is refused."""

from typing import Any

import pytest
from support.options import FakeConfig

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.manifest import ModelEntry
from retrocypher.plugins.session.options import read_options
from retrocypher.plugins.session.side_plans import AnswerPlan, answer_lines, answer_plan
from retrocypher.prompts.answering.writing import Limits
from retrocypher.prompts.models.spec import DEFAULT_MODEL, parse_specs

KEY = {"OPENAI_API_KEY": "any"}


def plan(
    *models: str, environment: dict[str, str] | None = None, fingerprint: str = "", **given: Any
) -> AnswerPlan | None:
    environment = environment or {}
    options = read_options(FakeConfig({"answer": True, **given}))  # type: ignore[arg-type]
    return answer_plan(options, parse_specs(models, environment), fingerprint, environment)


def lines(found: AnswerPlan | None, **given: Any) -> list[str]:
    return list(answer_lines(found, read_options(FakeConfig(given))))  # type: ignore[arg-type]


def test_no_answers_by_default() -> None:
    assert plan("oracle", answer=None) is None
    assert lines(None) == []
    assert lines(None, answer_model="gpt-x") == ["note: --answer-model gpt-x has no effect without --answer"]
    assert lines(None, answer_context="hybrid") == [
        "note: --answer-context hybrid has no effect without --answer"
    ]


def test_a_model_that_reads_writes_its_own_answers() -> None:
    found = plan("gpt-x", "oracle", environment=KEY)
    assert found is not None
    writers = {label: spec.argument for label, spec in found.writers.items()}
    assert writers == {"gpt-x": "gpt-x", "oracle": DEFAULT_MODEL}
    assert found.limits == Limits()
    assert lines(found) == [f"answers written by gpt-x, {DEFAULT_MODEL}, from rows"]


def test_a_writer_can_be_named_and_limited() -> None:
    found = plan(
        "mutant",
        environment=KEY,
        answer_model="strong=gpt-y",
        answer_weights="0.3,0.7",
        answer_rows="5",
        answer_budget="900",
    )
    assert found is not None
    told = found.described()
    assert told.writers["mutant"] == ModelEntry("strong", "openai", "gpt-y")
    assert told.limits == {
        "rows": 5,
        "characters": 900,
        "passages": 3,
        "text_weight": 0.3,
        "graph_weight": 0.7,
    }
    assert (told.context, told.encoder) == ("rows", None)
    assert set(told.texts) == {"answer", "claims", "passages", "insufficient"}


@pytest.mark.parametrize(
    ("models", "given", "said"),
    [
        (["oracle"], {}, "--answer --model oracle: oracle reads no messages and cannot write answers"),
        (["oracle"], {"answer_model": "mutant"}, "--answer-model mutant: mutant reads no messages"),
        (["oracle"], {"answer_model": "oracel"}, "--answer-model oracel: no model 'oracel'; did you mean"),
        (["local"], {"answer_context": "all"}, "--answer-context all: no such context"),
        (["local"], {"answer_weights": "1"}, "--answer-weights 1: not two weights"),
        (["local"], {"answer_weights": "0.5,0.6"}, "--answer-weights 0.5,0.6"),
        (["local"], {"answer_weights": "nan,0.6"}, "--answer-weights nan,0.6"),
        (["local"], {"answer_weights": "-0.5,1.5"}, "--answer-weights -0.5,1.5"),
        (["local"], {"answer_rows": "0"}, "--answer-rows 0: out of range"),
        (["local"], {"answer_budget": "many"}, "--answer-budget many: not a whole number"),
    ],
)
def test_what_cannot_be_is_refused(models: list[str], given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        plan(*models, **given)
    assert said in str(caught.value)
