"""Who may judge, and where it is asked."""

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.plugins.judge.criteria import as_set, judge_environment, judge_spec

KEY = {"OPENAI_API_KEY": "k"}


@pytest.mark.parametrize(
    ("text", "environment", "told"),
    [
        ("oracle", KEY, "reads no messages and cannot judge"),
        ("mutant", KEY, "reads no messages and cannot judge"),
        ("file:answers.jsonl", KEY, "reads no messages and cannot judge"),
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
