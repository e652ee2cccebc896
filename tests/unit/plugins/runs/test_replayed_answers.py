"""Completions that come from records."""

import hashlib
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from support.records import record_of, write_run

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Round
from retrocypher.plugins.runs.replay import ReplayedModel, RunIndex
from retrocypher.prompts.models.interface import Completion, Message, ModelError, Request
from retrocypher.prompts.models.spec import ModelSpec

QUESTION = load_questions().questions[0]
MINI = ModelSpec("mini", "openai", "gpt-x")
OTHER = ModelSpec("other", "gguf", "/there/weights.gguf")
MANIFEST = {
    "options": {"seed": 7},
    "models": [MINI.to_json(), ModelSpec("oracle", "oracle").to_json()],
    "answering": {"writers": {"mini": OTHER.to_json()}},
    "loops": {"players": {"mini": OTHER.to_json(), "oracle": MINI.to_json()}},
}


def messages(text: str) -> list[Message]:
    return [{"role": "user", "content": text}]


def turn(role: str, asked: str | None, answer: str, *findings: Any) -> Round:
    sha256 = None if asked is None else hashlib.sha256(json_line(messages(asked)).encode()).hexdigest()
    tokens = {"prompt": 3, "completion": 4}
    return Round(role, sha256, answer, "RETURN 1", None, list(findings), 1.5, tokens, 0.25)


def request(text: str, case_id: str = "a", repeat: int = 0) -> Request:
    return Request(messages(text), QUESTION, None, {}, case_id, repeat)


@pytest.fixture
def index(tmp_path: Path) -> RunIndex:
    looped = [
        turn("generator", "write", "one", {"finish_reason": "stop", "attempts": 1}, {"result": {}}),
        turn("explain", None, ""),
        turn("corrector", "mend", "two", {"edit": []}),
        turn("corrector", "mend", "three", {"finish_reason": "length"}),
    ]
    records = [
        record_of("a", model="mini", rounds=looped),
        record_of("b", model="mini", rounds=[turn("generator", "write", "another")]),
        record_of("c", model="oracle", rounds=[turn("generator", "write", "")]),
        record_of("d", model="oracle", rounds=[turn("corrector", "mend", "four")]),
    ]
    return RunIndex([RunLog(write_run(tmp_path / "run", records, manifest=MANIFEST))])


def said(spec: ModelSpec, index: RunIndex, *of: Any, seed: int = 7) -> str:
    return ReplayedModel(spec, seed, index, None).answer(request(*of)).text


def test_a_model_says_again_what_it_said(index: RunIndex) -> None:
    answer = ReplayedModel(MINI, 7, index, None).answer(request("write"))
    details = {"finish_reason": "stop", "attempts": 1}
    tokens = {"prompt": 3, "completion": 4}
    assert answer == Completion("one", tokens=tokens, time_s=1.5, details=details, cached=True)
    assert said(MINI, index, "write", "b") == "another"
    assert said(MINI, index, "write", "new") == "one"


def test_the_roles_of_loops_are_those_of_their_models(index: RunIndex) -> None:
    elsewhere = ModelSpec("weights", "gguf", "/here/weights.gguf")
    assert said(elsewhere, index, "mend", "a") == "two"
    assert said(elsewhere, index, "mend", "a", 1) == "three"
    assert said(MINI, index, "mend", "a") == "four"
    assert ReplayedModel(elsewhere, 7, index, None).answer(request("mend", "a")).details == {}


@pytest.mark.parametrize(
    ("spec", "of", "seed"),
    [
        (MINI, ("unheard of", "a"), 7),
        (MINI, ("write", "a", 1), 7),
        (MINI, ("write", "a"), 8),
        (ModelSpec("mini", "openai", "gpt-y"), ("write", "a"), 7),
        (ModelSpec("oracle", "oracle"), ("write", "c"), 7),
    ],
)
def test_what_is_not_on_record_is_asked_of_others(
    index: RunIndex, spec: ModelSpec, of: tuple[Any, ...], seed: int
) -> None:
    with pytest.raises(ModelError, match=rf"^{of[1]}: what this case asks {spec.label} ") as error:
        said(spec, index, *of, seed=seed)
    assert error.value.kind == "not_recorded"

    fresh = Mock(answer=Mock(return_value=Completion("fresh")))
    model = ReplayedModel(spec, seed, index, fresh)
    assert model.answer(request(*of)).text == "fresh"
    model.close()
    fresh.close.assert_called_once()


def test_a_writer_is_not_taken_for_another_role(tmp_path: Path) -> None:
    failed = turn("answer:claims", "list", "", {"error": {"kind": "timeout"}})
    failed.verdict = "error"
    written = [turn("generator", "ask", "a query"), turn("answer:text", "write", "an answer"), failed]
    run = write_run(tmp_path / "run", [record_of("a", model="mini", rounds=written)], [QUESTION], MANIFEST)
    index = RunIndex([RunLog(run)])
    assert said(OTHER, index, "write") == "an answer"
    with pytest.raises(ModelError, match="has no answer"):
        said(MINI, index, "write")
    # A failed call is not an empty answer.
    with pytest.raises(ModelError):
        said(OTHER, index, "list")
