"""Who may judge, where it is asked, and what it is told to judge by."""

import json
from pathlib import Path

import pytest
import yaml

import retrocypher.plugins.judge
from retrocypher.kg.errors import InputError
from retrocypher.plugins.judge.criteria import (
    answer_form,
    as_set,
    judge_environment,
    judge_spec,
    load_criteria,
    parse_criteria,
)
from retrocypher.plugins.judge.reading import read_answer
from retrocypher.plugins.runs.record import VARIANTS

KEY = {"OPENAI_API_KEY": "k"}
FILE = Path(retrocypher.plugins.judge.__file__).with_name("criteria.yaml")


def test_the_shipped_criteria_cover_the_scale() -> None:
    criteria = load_criteria()
    assert criteria.scale == (0, 10)
    assert set(criteria.steps) == set(VARIANTS)
    # A judge that is not shown the reference is not told of it.
    assert not any("Expected Output" in step for step in criteria.steps["without_reference"])
    assert any("Expected Output" in step for step in criteria.steps["with_reference"])


def test_judges_that_are_told_different_things_are_told_apart() -> None:
    text = FILE.read_text()
    hashes = {parse_criteria(text).sha256, parse_criteria(text + "\n").sha256, load_criteria(5).sha256}
    assert len(hashes) == 3
    assert load_criteria(0).sha256 == parse_criteria(text).sha256


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("steps", {"with_reference": ["a"]}, "`steps` must hold"),
        ("steps", {"with_reference": ["a"], "without_reference": []}, "without_reference"),
        ("rubric", [], "`rubric` must be a list"),
        ("rubric", [{"from": 0, "to": 9, "meaning": "all"}], "from 0 to 10"),
        ("rubric", [{"from": "0", "to": 10, "meaning": "all"}], "`rubric` must be a list"),
        ("reason_length", 0, "`reason_length`"),
        ("name", " ", "`name` must be a text"),
        ("prompt", "Judge {case} by {rubric} from {low} to {high}", "lacks {steps}"),
        ("more", 1, "nothing else"),
    ],
)
def test_other_criteria_are_refused_with_what_is_wrong(name: str, value: object, told: str) -> None:
    body = {**yaml.safe_load(FILE.read_text()), name: value}
    with pytest.raises(InputError) as caught:
        parse_criteria(yaml.safe_dump(body))
    assert "criteria.yaml" in str(caught.value)
    assert told in str(caught.value)
    with pytest.raises(InputError, match="not YAML"):
        parse_criteria("name: [")


@pytest.mark.parametrize("end", ["minimum", "maximum"])
def test_what_the_form_allows_is_read_as_a_score(end: str) -> None:
    criteria = load_criteria()
    reason, score = (answer_form(criteria)["properties"][name] for name in ("reason", "score"))
    answer = {"reason": "r" * reason["maxLength"], "score": score[end]}
    read = read_answer(json.dumps(answer), criteria.scale)
    assert (read.score, read.reason) == (score[end], answer["reason"])


@pytest.mark.parametrize(
    ("text", "environment", "told"),
    [
        ("oracle", KEY, "reads no messages and cannot judge"),
        ("mutant", KEY, "reads no messages and cannot judge"),
        (" ", KEY, "--judge names no model"),
        ("locl", KEY, "--judge locl: no model 'locl'; did you mean 'local'"),
        ("gpt-x", {}, "--judge gpt-x: this is not a built-in model"),
        ("gpt-x", {}, "a model that needs none: gguf:PATH, local."),
        ("gguf:/nowhere.gguf", {}, "--judge gguf:/nowhere.gguf"),
        ("gpt-x", {**KEY, "RETROCYPHER_JUDGE_BASE_URL": "ftp://x"}, "RETROCYPHER_JUDGE_BASE_URL must be"),
        ("gpt-x", {**KEY, "OPENAI_BASE_URL": "ftp://x"}, "OPENAI_BASE_URL must be"),
        ("gpt-x", {"RETROCYPHER_JUDGE_API_KEY": "a\n"}, "RETROCYPHER_JUDGE_API_KEY holds characters"),
        ("sk-0123456789abcdef0123", KEY, "a key stands where the name of a model belongs"),
    ],
)
def test_what_cannot_judge_is_refused(text: str, environment: dict[str, str], told: str) -> None:
    with pytest.raises(InputError) as caught:
        judge_spec(text, environment)
    assert told in str(caught.value)
    assert "--model" not in str(caught.value)


def test_a_judge_has_a_label() -> None:
    spec = judge_spec("strict=gpt-x", KEY)
    assert (spec.label, spec.kind, spec.argument) == ("strict", "openai", "gpt-x")


def test_the_judges_own_variables_come_before_the_usual_ones() -> None:
    usual = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://models/v1"}
    assert judge_environment(usual) == usual
    own = {**usual, "RETROCYPHER_JUDGE_BASE_URL": "http://judge/v1", "RETROCYPHER_JUDGE_API_KEY": "j"}
    asked = judge_environment(own)
    assert (asked["OPENAI_BASE_URL"], asked["OPENAI_API_KEY"]) == ("http://judge/v1", "j")
    empty = judge_environment({**usual, "RETROCYPHER_JUDGE_BASE_URL": ""})
    assert empty["OPENAI_BASE_URL"] == "http://models/v1"


def test_messages_name_the_variables_that_are_set_for_the_judge() -> None:
    message = "Is OPENAI_BASE_URL right? OPENAI_API_KEY is not."
    assert as_set(message, KEY) == message
    own = {**KEY, "RETROCYPHER_JUDGE_BASE_URL": "http://judge/v1"}
    assert as_set(message, own) == "Is RETROCYPHER_JUDGE_BASE_URL right? OPENAI_API_KEY is not."
