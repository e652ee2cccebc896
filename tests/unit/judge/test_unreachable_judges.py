"""A judge whose API is not there: the message names the variable that leads to it."""

import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from retrocypher.plugins.judge.criteria import JudgeCase, judge_spec, load_criteria
from retrocypher.plugins.judge.judge import Judge, open_judge_model
from retrocypher.plugins.session.manifest import silent_apis
from retrocypher.plugins.session.plan import Plan
from retrocypher.prompts.models.interface import ModelError
from retrocypher.prompts.models.open import ModelContext


@pytest.fixture
def nowhere() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}/v1"


class Unreachable:
    label = "gpt-x"

    def answer(self, _: object) -> Any:
        raise ModelError("connection", "The API cannot be reached. Is OPENAI_BASE_URL right?")

    def close(self) -> None:
        """Nothing is held."""


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "RETROCYPHER_JUDGE_BASE_URL"])
def test_a_judgement_that_failed_names_what_was_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setattr(ModelContext, "open_text", lambda *_, **__: Unreachable())
    told = {"OPENAI_API_KEY": "k", name: "http://127.0.0.1:9/v1"}
    spec = judge_spec("gpt-x", told)
    model = open_judge_model(spec, ModelContext(tmp_path, 1, 0, environment=told))
    case = JudgeCase("case-1", "What makes CCO?", "(:Molecule)", "RETURN 1", "RETURN 2")
    found = Judge(model, load_criteria()).judge(case, "with_reference")
    assert found.error == {"kind": "connection", "message": f"The API cannot be reached. Is {name} right?"}


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "RETROCYPHER_JUDGE_BASE_URL"])
def test_so_does_what_is_said_before_the_cases(
    monkeypatch: pytest.MonkeyPatch, nowhere: str, name: str
) -> None:
    for each in ("OPENAI_BASE_URL", "RETROCYPHER_JUDGE_BASE_URL", "RETROCYPHER_JUDGE_API_KEY"):
        monkeypatch.delenv(each, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    monkeypatch.setenv(name, nowhere)
    plan = SimpleNamespace(asked=(), judge=SimpleNamespace(spec=judge_spec("gpt-x")))
    (said,) = silent_apis(cast(Plan, plan))
    assert said.startswith("Judge: The API at 127.0.0.1:")
    assert f"Is {name} right?" in said
