"""A judge whose model is scripted, or cannot be reached."""

import socket
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from retrocypher.plugins.judge.criteria import JudgeCase, judge_spec, load_criteria
from retrocypher.plugins.judge.judge import Judge, open_judge_model
from retrocypher.plugins.session.manifest import silent_apis
from retrocypher.plugins.session.plan import Plan
from retrocypher.prompts.models.interface import Chat, Completion, ModelError, Request

CASE = JudgeCase("c", "What makes CCO?", "(:Molecule)", "RETURN 1", "RETURN 2")
ADDRESSES = ("OPENAI_BASE_URL", "RETROCYPHER_JUDGE_BASE_URL")


class Scripted:
    """Gives the same completion each time, or fails."""

    label = "gpt-x"

    def __init__(self, fault: ModelError | None = None) -> None:
        self.asked: list[Chat] = []
        self.fault = fault

    def answer(self, request: Request | Chat) -> Completion:
        assert isinstance(request, Chat)
        self.asked.append(request)
        if self.fault is not None:
            raise self.fault
        return Completion('{"reason": "It is right.", "score": 7}')

    def close(self) -> None:
        """Nothing is held."""


def test_a_judge_says_what_its_requests_share() -> None:
    model = Scripted()
    judge = Judge(model, load_criteria())
    for case in (CASE, replace(CASE, question="What of {case} and (:Molecule)?")):
        assert judge.judge(case, "with_reference").score == 0.7
    contents = [chat.messages[0]["content"] for chat in model.asked]
    assert {len(chat.messages) for chat in model.asked} == {1}
    ((begin, end),) = {
        (text[: chat.common], text[: chat.common].splitlines()[-2])
        for text, chat in zip(contents, model.asked, strict=True)
    }
    # All that is the same for all cases, up to the end of the schema, and nothing of a question.
    assert end == "(:Molecule)"
    assert '"score"' in begin
    assert "CCO" not in begin
    assert all(text[len(begin) :].startswith("\n<<< question ") for text in contents)


@pytest.mark.parametrize("name", ADDRESSES)
def test_a_judgement_that_failed_names_what_was_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    fault = ModelError("connection", "The API cannot be reached. Is OPENAI_BASE_URL right?")
    monkeypatch.setattr("retrocypher.plugins.judge.judge.open_text_model", lambda *_, **__: Scripted(fault))
    told = {"OPENAI_API_KEY": "k", name: "http://127.0.0.1:9/v1"}
    spec = judge_spec("gpt-x", told)
    model = open_judge_model(spec, shared={}, slots=tmp_path, concurrency=1, seed=0, environment=told)
    found = Judge(model, load_criteria()).judge(CASE, "with_reference")
    assert found.error == {"kind": "connection", "message": f"The API cannot be reached. Is {name} right?"}


@pytest.mark.parametrize("name", ADDRESSES)
def test_so_does_what_is_said_before_the_cases(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        nowhere = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
    for each in (*ADDRESSES, "RETROCYPHER_JUDGE_API_KEY"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv(name, nowhere)
    plan = SimpleNamespace(asked=(), judge=SimpleNamespace(spec=judge_spec("gpt-x")))
    (said,) = silent_apis(cast(Plan, plan))
    assert said.startswith("Judge: The API at 127.0.0.1:")
    assert f"Is {name} right?" in said
