"""A judge behind a scripted API, and something to be judged."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.roles_api import RolesApi

from retrocypher.plugins.judge.criteria import JudgeCase, judge_spec
from retrocypher.plugins.judge.judge import Judge, open_judge
from retrocypher.prompts.models.open import ModelContext
from retrocypher.prompts.models.response_cache import open_cache

Opened = Callable[..., Judge]


@pytest.fixture(autouse=True)
def refused(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Note that the network was to be refused; in earnest that would hold for all tests that follow."""
    calls: list[None] = []
    monkeypatch.setattr("retrocypher.plugins.operations.judging.refuse_network", lambda: calls.append(None))
    return calls


@pytest.fixture
def case() -> JudgeCase:
    return JudgeCase("case-1", "What makes CCO?", "(:Molecule)", "MATCH (n) RETURN n", "MATCH (m) RETURN m")


@pytest.fixture
def opened(api: RolesApi, tmp_path: Path) -> Iterator[Opened]:
    """Opens judges at the scripted API."""
    with ExitStack() as stack:

        def make(cache: Path | None = None, *, offline: bool = False, **environment: str) -> Judge:
            told = {"OPENAI_API_KEY": "usual-key-1", "RETROCYPHER_JUDGE_BASE_URL": api.address, **environment}
            answers = None if cache is None else stack.enter_context(open_cache(cache, read_only=offline))
            context = ModelContext(
                tmp_path / "slots", 2, 0, environment=told, answers=answers, offline=offline
            )
            judge = open_judge(judge_spec("gpt-4o", told), context)
            stack.callback(judge.close)
            return judge

        yield make
