from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from retrocypher.prompts.models.interface import Model, Request
from retrocypher.prompts.models.open import open_models
from retrocypher.prompts.models.spec import parse_spec
from retrocypher.prompts.templates.exemplars import load_bank


def opened(text: str, folder: Path) -> Model:
    (model,) = open_models([parse_spec(text, {})], shared={}, slots=folder, concurrency=1, seed=0).values()
    return model


def test_oracle_answers_with_the_reference(ask: Callable[..., Request], tmp_path: Path) -> None:
    answer = opened("oracle", tmp_path).answer(ask())
    assert (answer.text, answer.verbatim) == (ask().question.reference_cypher, True)


def test_exemplar_answers_with_its_query_about_the_question(
    ask: Callable[..., Request], tmp_path: Path
) -> None:
    bank = {each.id: each for each in load_bank("single_step")}
    model = opened("exemplar", tmp_path)
    answer = model.answer(ask(exemplar=bank["product-identification"]))
    assert "{name: 'CC(=O)[O-]'})-[:REACTS_IN]->" in answer.text
    assert "<MOLECULE" not in answer.text
    missing = model.answer(ask(exemplar=bank["multi-precursor-reaction"]))
    assert (missing.text, list(missing.details)) == ("", ["no_answer"])


def test_exemplar_fills_in_the_step_count(ask: Callable[..., Request], tmp_path: Path) -> None:
    exemplar = next(each for each in load_bank("multi_step") if each.id == "multi-step-product-discovery")
    request = ask(exemplar=exemplar)
    request = replace(request, question=replace(request.question, slots={"target": "CCO", "steps": 3}))
    assert "{name: 'CCO'})-[:REACTS_IN|PRODUCES*6]->" in opened("exemplar", tmp_path).answer(request).text


def test_exemplar_without_an_exemplar_has_no_query(ask: Callable[..., Request], tmp_path: Path) -> None:
    assert opened("exemplar", tmp_path).answer(ask()).text == ""
