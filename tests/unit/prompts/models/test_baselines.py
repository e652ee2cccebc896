"""Models that need no language model."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.prompts.models.baselines import read_predictions
from retrocypher.prompts.models.interface import Model, Request
from retrocypher.prompts.models.open import ModelContext
from retrocypher.prompts.models.spec import parse_spec
from retrocypher.prompts.templates.exemplars import Exemplar, load_bank

TARGET = "CC(=O)[O-]"
REFERENCE = (
    f"MATCH (reaction:Reaction)-[:PRODUCES]->(target:Molecule {{name: '{TARGET}->x'}})\n"
    "OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(reaction)\n"
    "RETURN reaction.id AS id, collect(reactant.name) AS reactants"
)
QUESTION = Question(
    "precursors-001", "precursors", "single_step", 1, "?", {"target": TARGET}, REFERENCE, [], TARGET, True
)


def ask(exemplar: Exemplar | None = None, **case: str) -> Request:
    where = {"prompt": "P1", "shot": "ZS", "loop": "none", **case}
    return Request([{"role": "user", "content": QUESTION.text}], QUESTION, exemplar, where)


def opened(text: str, folder: Path) -> Model:
    (model,) = ModelContext(folder, 1, 0).open([parse_spec(text, {})]).values()
    return model


def test_oracle_answers_with_the_reference(tmp_path: Path) -> None:
    answer = opened("oracle", tmp_path).answer(ask())
    assert (answer.text, answer.verbatim) == (REFERENCE, True)


def test_exemplar_answers_with_its_query_about_the_question(tmp_path: Path) -> None:
    bank = {each.id: each for each in load_bank("single_step")}
    model = opened("exemplar", tmp_path)
    answer = model.answer(ask(exemplar=bank["product-identification"]))
    assert "{name: 'CC(=O)[O-]'})-[:REACTS_IN]->" in answer.text
    assert "<MOLECULE" not in answer.text
    missing = model.answer(ask(exemplar=bank["multi-precursor-reaction"]))
    assert (missing.text, list(missing.details)) == ("", ["no_answer"])


def test_exemplar_fills_in_the_step_count(tmp_path: Path) -> None:
    exemplar = next(each for each in load_bank("multi_step") if each.id == "multi-step-product-discovery")
    request = ask(exemplar=exemplar)
    request = replace(request, question=replace(request.question, slots={"target": "CCO", "steps": 3}))
    model = opened("exemplar", tmp_path)
    assert "{name: 'CCO'})-[:REACTS_IN|PRODUCES*6]->" in model.answer(request).text
    assert model.answer(ask()).text == ""


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def lines(*values: Any) -> Path:
        path = tmp_path / "p.jsonl"
        path.write_text(
            "\n".join(each if isinstance(each, str) else json.dumps(each) for each in values),
            "utf-8",
            "surrogateescape",
        )
        return path

    return lines


Q1 = {"question_id": "precursors-001", "cypher": "RETURN 1"}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([Q1, "{broken"], "line 2: broken JSON"),
        ([Q1, "[1]"], "line 2: not a JSON object"),
        ([{"cypher": "RETURN 1"}], "line 1: question_id is missing"),
        ([{"question_id": 7, "cypher": ""}], "line 1: question_id is missing"),
        ([{"question_id": "a"}], "line 1: cypher is missing"),
        ([{"question_id": "a", "cypher": 1}], "line 1: cypher is missing"),
        ([{**Q1, "prompt": 5}], "line 1: prompt must be text"),
        ([{**Q1, "shot": "2S"}], "line 1: .*2S"),
        ([Q1, "", Q1], "line 3: a second prediction .* line 1"),
        ([{**Q1, "prompt": "P1"}, Q1], "line 2: a second prediction"),
        ([{**Q1, "prompt": "P1"}, {**Q1, "shot": "ZS"}], "line 2: a second prediction"),
        ([{**Q1, "shot": "1S"}, {**Q1, "shot": "1S-S"}], "line 2: a second prediction"),
        ([], "no predictions in it"),
        (["\udcff"], "cannot be read"),
    ],
)
def test_a_broken_file_is_refused_by_line(write: Write, lines: list[Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_predictions(write(*lines))


def test_lines_are_told_apart_by_a_condition(write: Write, tmp_path: Path) -> None:
    # U+2028 within a text breaks no line.
    second = json.dumps({**Q1, "prompt": "P2", "cypher": "RETURN '\u2028'"}, ensure_ascii=False)
    found = read_predictions(write({**Q1, "prompt": "P1"}, second)).find(
        "precursors-001", {"prompt": "P2", "shot": "ZS"}
    )
    assert found is not None
    assert found.cypher == "RETURN '\u2028'"
    with pytest.raises(InputError, match="cannot be read"):
        read_predictions(tmp_path / "absent.jsonl")


def test_unknown_questions_are_refused(write: Write) -> None:
    predictions = read_predictions(write(Q1, {"question_id": "nope", "cypher": None}))
    with pytest.raises(InputError, match=r"line 2: unknown question id 'nope' \(1 such line\)"):
        predictions.require_known({"precursors-001"})
    predictions.require_known({"precursors-001", "nope"})


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model": "gpt"}, "are for model gpt, this run has p. Name the model with gpt=file:PATH"),
        ({"prompt": "P9"}, "are for prompt P9, this run has P1, P2"),
        ({"shot": "1S"}, "are for shot 1S-S, this run has ZS"),
        ({"phrasing": 2}, "are for phrasing 2, this run has 1"),
        ({"loop": "cove"}, "are for loop cove, this run has none"),
    ],
)
def test_a_file_for_other_cases_is_refused(write: Write, given: dict[str, str], said: str) -> None:
    case = {"model": ("p",), "prompt": ("P1", "P2"), "shot": ("ZS",), "loop": ("none",), "phrasing": ("1",)}
    predictions = read_predictions(write({**Q1, **given}))
    with pytest.raises(InputError, match=said):
        predictions.require_use(["precursors-001"], case)
    with pytest.raises(InputError, match="no prediction for any question"):
        predictions.require_use(["precursors-002"], case)


def test_completions_stand_as_in_the_file(write: Write, tmp_path: Path) -> None:
    odd = "  no ```cypher``` at all \\u0041 'C/C=C\\\\C' "
    first = {**Q1, "cypher": odd, "model": "mine", "score": 3, "prompt": "P1"}
    path = write(first, {**Q1, "cypher": None, "prompt": "P2"})
    model = opened(f"mine=file:{path}", tmp_path)
    assert (model.answer(ask()).text, model.answer(ask()).verbatim) == (odd, True)
    assert model.answer(ask(prompt="P2")).text == ""
    nothing = model.answer(ask(prompt="P3"))
    assert (nothing.text, nothing.details) == ("", {"no_answer": "no prediction for this case"})


def test_the_model_says_what_it_changed(tmp_path: Path) -> None:
    answer = opened("mutant:drop_component", tmp_path).answer(ask())
    assert answer.text == REFERENCE.replace(", collect(reactant.name) AS reactants", "")
    assert answer.details == {
        "operator": "drop_component",
        "place": 0,
        "kind": "error",
        "label": "missing_component:reactants",
    }
    assert opened("mutant:change_length", tmp_path).answer(ask()).text == ""
