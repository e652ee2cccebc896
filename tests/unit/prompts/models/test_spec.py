"""The option --model."""

import json
import pickle
from pathlib import Path

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.spec import DEFAULT_MODEL, ModelSpec, parse_spec, parse_specs

KEY = {"OPENAI_API_KEY": "sk-test"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("oracle", ModelSpec("oracle", "oracle")),
        ("exemplar", ModelSpec("exemplar", "exemplar")),
        ("local", ModelSpec("local", "local")),
        ("file:p.jsonl", ModelSpec("p", "file", str(Path("p.jsonl").absolute()))),
        ("mutant", ModelSpec("mutant", "mutant")),
        ("mutant:a, b", ModelSpec("mutant-a+b", "mutant", "a,b")),
        ("file:/tmp/p=1.jsonl", ModelSpec("p-1", "file", "/tmp/p=1.jsonl")),
        ("mine=file:/tmp/p=1.jsonl", ModelSpec("mine", "file", "/tmp/p=1.jsonl")),
        ("gguf:/m/Qwen.Q4_0.gguf", ModelSpec("Qwen.Q4_0", "gguf", "/m/Qwen.Q4_0.gguf")),
        ("oracle-v2", ModelSpec("oracle-v2", "openai", "oracle-v2")),
        ("gpt-4.1", ModelSpec("gpt-4.1", "openai", "gpt-4.1")),
        ("llama3:8b", ModelSpec("llama3-8b", "openai", "llama3:8b")),
        ("meta-llama/L=3", ModelSpec("meta-llama-L-3", "openai", "meta-llama/L=3")),
        ("ft:gpt-4:me=x", ModelSpec("ft-gpt-4-me-x", "openai", "ft:gpt-4:me=x")),
        ("big=meta-llama/L=3", ModelSpec("big", "openai", "meta-llama/L=3")),
        (" a.b_c+d-1 = oracle ", ModelSpec("a.b_c+d-1", "oracle")),
    ],
)
def test_reads_specs(text: str, expected: ModelSpec) -> None:
    spec = parse_spec(text, {})
    assert spec == expected
    assert ModelSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("my model=oracle", "label 'my model'"),
        ("=oracle", "label ''"),
        ("ü=oracle", "label 'ü'"),
        ("x=", "no model after the label"),
        ("file:", "give a path, file:PATH"),
        ("gguf:", "give a path, gguf:PATH"),
        ("mutant:", "name the operators"),
        ("oracle:x", "takes nothing after a colon"),
        ("oracel", "did you mean 'oracle'"),
        ("Exemplar", "did you mean 'exemplar'"),
        ("mutants:reverse_arrow", "did you mean 'mutant'"),
        ("gguff:/m.gguf", "did you mean 'gguf'"),
        ("two words", "no spaces"),
    ],
)
def test_refuses_what_names_no_model(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_spec(text, KEY)


def test_default_needs_a_key_and_says_what_else_there_is() -> None:
    assert parse_specs((), KEY) == (ModelSpec(DEFAULT_MODEL, "openai", DEFAULT_MODEL),)
    with pytest.raises(InputError, match=r"OPENAI_API_KEY.*oracle, exemplar, mutant.*file:PATH.*local"):
        parse_specs((), {})


def test_two_models_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="two models are called 'a'"):
        parse_specs(["a=oracle", "a=exemplar"], {})
    with pytest.raises(InputError, match="Name them apart"):
        parse_specs(["file:/x/p.jsonl", "file:/y/p.jsonl"], {})
