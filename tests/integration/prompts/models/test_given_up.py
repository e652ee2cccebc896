"""Giving up on an API, over all workers of a run."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from retrocypher.prompts.models import retries as module
from retrocypher.prompts.models.interface import Model, ModelError, Request
from retrocypher.prompts.models.open import ModelContext
from retrocypher.prompts.models.openai import OpenAIModel
from retrocypher.prompts.models.spec import parse_spec

Ask = Callable[[str], Request]
Open = Callable[..., OpenAIModel]
Play = Callable[[Any], None]


@pytest.fixture
def worker(api: Any, open_model: Open) -> Open:
    return partial(open_model, api.env, attempts=2)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A clock that stands still until a test moves it."""
    clock = SimpleNamespace(now=1000.0, time=lambda: clock.now)
    monkeypatch.setattr(module, "time", clock)
    return clock


def failing(model: Model, request: Request) -> ModelError:
    with pytest.raises(ModelError) as caught:
        model.answer(request)
    assert "very-secret" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "invalid_api_key", "authentication"),
        (429, "insufficient_quota", "quota"),
    ],
)
def test_what_cannot_pass_is_met_once_in_a_run(
    api: Any, ask: Ask, tmp_path: Path, status: int, code: str, kind: str
) -> None:
    api.refuses(status, "not for sk-very-secret-0123", code)
    api.answers("too late")
    spec = parse_spec("gpt-x", api.env)
    first, second = (
        ModelContext(tmp_path, 8, 7, environment=api.env).open([spec])["gpt-x"] for _ in range(2)
    )
    assert "given up" not in str(failing(first, ask("x")))
    for model in (first, second, first):
        error = failing(model, ask("x"))
        assert error.kind == kind
        assert "given up" in str(error)
        assert f"({status})" in str(error) or "quota" in str(error)
    assert len(api.bodies) == 1


@pytest.mark.parametrize(
    ("play", "kind"),
    [
        (lambda api: api.refuses(500, "sk-very-secret-0123 broke"), "server_error"),
        (lambda api: api.answers("late", pause_s=1.0), "timeout"),
    ],
)
def test_three_failures_in_a_row_end_the_asking(
    api: Any, ask: Ask, worker: Open, play: Play, kind: str
) -> None:
    play(api)
    workers = [worker(timeout_s=0.2 if kind == "timeout" else 20.0) for _ in range(4)]
    for model in workers[:3]:
        assert "Asked 2 times" in str(failing(model, ask("x")))
    for model in workers:
        error = failing(model, ask("x"))
        assert error.kind == kind
        assert "given up on after 3 requests in a row" in str(error)
    assert len(api.bodies) == 6


def test_workers_at_once_pay_little_together(api: Any, ask: Ask, worker: Open) -> None:
    api.refuses(500, "oops")

    def work() -> None:
        model = worker(attempts=3)
        kinds.extend(failing(model, ask("x")).kind for _ in range(10))

    kinds: list[str] = []
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kinds == ["server_error"] * 80
    # Three requests run out of attempts; each worker may be within one more by then.
    assert len(api.bodies) <= 3 * 3 + 8 * 3


@pytest.mark.parametrize("between", [lambda api: api.answers("ok"), lambda api: api.refuses(400, "no")])
def test_a_reply_breaks_the_row(api: Any, ask: Ask, worker: Open, between: Play) -> None:
    for play in (lambda api: api.refuses(500, "oops"), between) * 2:
        play(api)
        play(api)
    api.answers("end")
    model = worker(attempts=1)
    for _ in range(8):
        with suppress(ModelError):
            model.answer(ask("x"))
    assert model.answer(ask("x")).text == "end"
    assert len(api.bodies) == 9


def test_a_reply_that_cannot_be_read_may_be_the_request_s_own_fault(api: Any, ask: Ask, worker: Open) -> None:
    api.answers("x", choices=[])
    model = worker(attempts=1)
    for _ in range(5):
        assert "given up" not in str(failing(model, ask("x")))
    assert len(api.bodies) == 5


def test_a_refused_key_stays_refused_for_its_model_and_run(
    api: Any, ask: Ask, worker: Open, clock: SimpleNamespace, tmp_path: Path
) -> None:
    api.refuses(401, "no")
    for model in (worker(), worker("gpt-y"), worker(folder=tmp_path / "next")):
        assert "given up" not in str(failing(model, ask("x")))
    clock.now += 3600.0
    assert failing(worker(), ask("x")).kind == "authentication"
    assert len(api.bodies) == 3


def test_one_attempt_a_minute_looks_whether_the_api_is_back(
    api: Any, ask: Ask, worker: Open, clock: SimpleNamespace
) -> None:
    api.refuses(500, "oops")
    workers = [worker() for _ in range(3)]
    for model in workers:
        failing(model, ask("x"))
    for minute in (1, 2):
        clock.now += 59.0
        failing(workers[0], ask("x"))
        assert len(api.bodies) == 5 + minute
        clock.now += 2.0
        for model in workers:
            assert failing(model, ask("x")).kind == "server_error"
        assert len(api.bodies) == 6 + minute


@pytest.mark.parametrize(
    "play",
    [
        lambda api: None,
        lambda api: api.refuses(400, "Unrecognized request argument supplied: seed"),
    ],
)
def test_all_are_asked_again_once_the_api_is_back(
    api: Any, ask: Ask, worker: Open, clock: SimpleNamespace, play: Play
) -> None:
    for _ in range(6):
        api.refuses(500, "oops")
    play(api)
    api.answers("back")
    workers = [worker() for _ in range(3)]
    for model in workers:
        failing(model, ask("x"))
    clock.now += 61.0
    for model in workers:
        assert model.answer(ask("x")).text == "back"
