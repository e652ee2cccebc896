"""A model behind an API on this machine that plays a script, and giving up on it for all workers."""

import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from support.roles_api import Said

from retrocypher.prompts.models.interface import Model, ModelError, Request, TextModel
from retrocypher.prompts.models.openai_client import api_address
from retrocypher.prompts.models.spec import parse_spec

KEY = {"OPENAI_API_KEY": "sk-very-secret-0123"}
ORACLE = parse_spec("oracle", {})
API = parse_spec("gpt-x", KEY)
Ask = Callable[[str], Request]
Open = Callable[..., TextModel]
Play = Callable[[Any], None]


@pytest.fixture
def nowhere() -> str:
    """The host of an API that is not there."""
    with socket.create_server(("127.0.0.1", 0)) as closing:
        return f"127.0.0.1:{closing.getsockname()[1]}"


def test_an_api_that_drips_for_ever_does_not_answer(dripping: Any, ask: Ask, open_model: Open) -> None:
    model = open_model(dripping.env, timeout_s=0.5)
    before, started = dripping.calls, time.monotonic()
    error = failing(model, ask("x"))
    assert error.kind == "timeout"
    assert "Asked 2 times" in str(error)
    assert dripping.calls - before == 2
    assert 1.0 <= time.monotonic() - started < 20.0
    model.close()


def test_the_address_is_told_without_what_is_secret() -> None:
    assert api_address([ORACLE, API], environment={}) == "api.openai.com/v1"
    other = {"OPENAI_BASE_URL": "https://u:p@host:8000/a/v1/?key=k#f"}
    assert api_address([API], environment=other) == "host:8000/a/v1"
    assert api_address([ORACLE], environment=other) is None


@pytest.fixture
def model_of(api: Any, open_model: Open) -> Open:
    return partial(open_model, api.env)


@pytest.fixture
def worker(model_of: Open) -> Open:
    return partial(model_of, attempts=2)


def failing(model: Model, request: Request) -> ModelError:
    with pytest.raises(ModelError) as caught:
        model.answer(request)
    assert "very-secret" not in str(caught.value)
    return caught.value


def test_asks_greedily_with_a_seed_and_counts_tokens(api: Any, ask: Ask, model_of: Open) -> None:
    api.answers("MATCH (n) RETURN n", pause_s=0.2)
    answer = model_of().answer(ask("hello"))
    assert answer.text == "MATCH (n) RETURN n"
    assert answer.tokens == {"prompt": 100, "completion": 20}
    assert 0.2 <= answer.time_s < 20
    fields = {"finish_reason": "stop", "model": "scripted-1", "system_fingerprint": "fp_1"}
    assert answer.details == {"attempts": 1, **fields}
    assert not answer.verbatim
    assert api.keys == ["Bearer sk-very-secret-0123"]
    message = {"role": "user", "content": "hello"}
    assert api.bodies == [{"model": "gpt-x", "messages": [message], "temperature": 0, "seed": 7}]


def test_waits_as_long_as_it_is_asked_to(api: Any, ask: Ask, model_of: Open) -> None:
    api.refuses(429, "slow down", retry_after="1")
    api.answers("ok")
    answer = model_of().answer(ask("x"))
    assert (answer.text, answer.details["attempts"]) == ("ok", 2)
    assert api.times[1] - api.times[0] >= 1.0
    assert answer.time_s < 1.0


def test_asks_again_after_passing_failures(api: Any, ask: Ask, model_of: Open) -> None:
    api.answers("before")
    api.refuses(500, "oops")
    api.drops()
    api.says("{not json")
    api.says('{"error": {"message": "upstream"}}')
    api.refuses(503, "busy")
    api.answers("ok")
    model = model_of()
    model.answer(ask("x"))
    answer = model.answer(ask("x"))
    assert (answer.text, answer.details["attempts"]) == ("ok", 6)


@pytest.mark.parametrize(
    ("play", "kind"),
    [
        (lambda api: api.refuses(500, "sk-very-secret-0123 broke"), "server_error"),
        (lambda api: api.refuses(429, "slow"), "rate_limit"),
        (lambda api: api.drops(), "connection"),
        (lambda api: api.says("{not json"), "malformed_response"),
        (lambda api: api.answers("x", choices=[]), "malformed_response"),
        (lambda api: api.answers("x", choices=None), "malformed_response"),
    ],
)
def test_gives_up_after_the_last_attempt(api: Any, ask: Ask, model_of: Open, play: Play, kind: str) -> None:
    play(api)
    error = failing(model_of(attempts=3), ask("x"))
    assert error.kind == kind
    assert "Asked 3 times" in str(error)
    assert api.address.removeprefix("http://") in str(error)
    assert len(api.bodies) == 3


def test_a_silent_api_is_a_timeout_and_the_next_call_is_answered(api: Any, ask: Ask, model_of: Open) -> None:
    for _ in range(2):
        api.answers("late", pause_s=1.5)
    api.answers("ok")
    model = model_of(timeout_s=0.5)
    assert failing(model, ask("x")).kind == "timeout"
    assert len(api.bodies) == 2
    assert model.answer(ask("x")).text == "ok"


def test_an_api_that_completed_nothing_is_not_tried_for_long(
    api: Any, ask: Ask, open_model: Open, nowhere: str
) -> None:
    error = failing(open_model({**KEY, "OPENAI_BASE_URL": f"http://{nowhere}/v1"}), ask("x"))
    assert error.kind == "connection"
    assert "(Connection refused). Is OPENAI_BASE_URL right?" in str(error)
    assert "Asked 4 times" in str(error)
    api.said.append(Said("ok", headers={"connection": "close"}))
    reached = open_model(api.env, session="another")
    reached.answer(ask("x"))
    api.stop()
    assert "Asked 7 times" in str(failing(reached, ask("x")))


@pytest.mark.parametrize(
    ("status", "code", "headers", "kind", "said"),
    [
        (401, "invalid_api_key", {}, "authentication", "401"),
        (403, None, {}, "authentication", "403"),
        (404, "model_not_found", {}, "unknown_model", ""),
        (429, "insufficient_quota", {}, "quota", ""),
        (429, None, {"retry_after": "7200"}, "rate_limit", "wait 7200 s"),
        (400, "invalid_value", {}, "bad_request", ""),
    ],
)
def test_what_would_fail_again_is_not_asked_again(
    api: Any, ask: Ask, model_of: Open, status: int, code: str | None, headers: Any, kind: str, said: str
) -> None:
    api.refuses(status, "Incorrect: sk-very-secret-0123, or sk-very***0123, seen", code, **headers)
    error = failing(model_of(), ask("x"))
    assert error.kind == kind
    assert said in str(error)
    assert api.address.removeprefix("http://") in str(error)
    assert "sk-" not in str(error)
    assert len(api.bodies) == 1


@pytest.mark.parametrize(
    ("message", "code", "said"),
    [
        ("This model's maximum context length is 8192 tokens.", "context_length_exceeded", "context"),
        ("The input exceeds the context window", None, "context"),
        ("The response was filtered by the content management policy", "content_filter", "filter"),
    ],
)
def test_a_limit_of_the_model_is_an_answer_without_a_query(
    api: Any, ask: Ask, model_of: Open, message: str, code: str | None, said: str
) -> None:
    api.refuses(400, message, code)
    answer = model_of().answer(ask("x"))
    assert answer.text == ""
    assert said in answer.details["no_answer"]


@pytest.mark.parametrize("text", ["", " \n", None])
def test_an_empty_reply_is_an_answer(api: Any, ask: Ask, model_of: Open, text: str | None) -> None:
    api.answers(text, usage=None)
    answer = model_of().answer(ask("x"))
    assert answer.text.strip() == ""
    assert answer.details["no_answer"] == "the reply is empty"
    assert answer.tokens is None


def test_a_model_without_temperature_or_seed_is_asked_without(api: Any, ask: Ask, model_of: Open) -> None:
    api.refuses(
        400, "Unsupported value: 'temperature' does not support 0.", "unsupported_value", "temperature"
    )
    api.refuses(400, "Unrecognized request argument supplied: seed")
    api.answers("one")
    model = model_of(attempts=1)
    answer = model.answer(ask("x"))
    assert answer.text == "one"
    assert answer.details["without"] == ["temperature", "seed"]
    assert [sorted(body) for body in api.bodies] == [
        ["messages", "model", "seed", "temperature"],
        ["messages", "model", "seed"],
        ["messages", "model"],
    ]
    model.answer(ask("y"))
    assert len(api.bodies) == 4


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [(401, "invalid_api_key", "authentication"), (429, "insufficient_quota", "quota")],
)
def test_what_cannot_pass_is_met_once_in_a_run(
    api: Any, ask: Ask, model_of: Open, status: int, code: str, kind: str
) -> None:
    api.refuses(status, "not for sk-very-secret-0123", code)
    api.answers("too late")
    first, second = model_of(), model_of()
    assert "Not asked" not in str(failing(first, ask("x")))
    for model in (first, second, first):
        error = failing(model, ask("x"))
        assert error.kind == kind
        assert "sends the model no more requests" in str(error)
        assert f"({status})" in str(error) or "quota" in str(error)
    assert len(api.bodies) == 1


def test_three_failures_in_a_row_end_the_asking(api: Any, ask: Ask, worker: Open) -> None:
    api.refuses(500, "sk-very-secret-0123 broke")
    workers = [worker() for _ in range(4)]
    for model in workers[:3]:
        assert "Asked 2 times" in str(failing(model, ask("x")))
    for model in workers:
        error = failing(model, ask("x"))
        assert error.kind == "server_error"
        assert "sends the model no more requests" in str(error)
    assert len(api.bodies) == 6


def test_three_timeouts_in_a_row_end_the_asking(api: Any, ask: Ask, model_of: Open) -> None:
    api.answers("late", pause_s=1.0)
    model = model_of(timeout_s=0.2)
    assert "Asked 2 times" in str(failing(model, ask("x")))
    assert "Asked once" in str(failing(model, ask("x")))
    assert "sends the model no more requests" in str(failing(model, ask("x")))
    assert len(api.bodies) == 3


def at_once(models: list[TextModel], request: Request) -> list[ModelError]:
    """What models fail with that are asked at the same time."""
    with ThreadPoolExecutor(len(models)) as threads:
        cases = [replace(request, case_id=str(number)) for number in range(len(models))]
        return list(threads.map(failing, models, cases))


def test_an_api_that_hangs_is_noticed_after_one_timeout(api: Any, ask: Ask, model_of: Open) -> None:
    api.answers("late", pause_s=5.0)
    errors = at_once([model_of(timeout_s=1.0) for _ in range(30)], ask("x"))
    assert {error.kind for error in errors} == {"timeout"}
    # Of the eight that may be in flight, two are tried again before the third has failed.
    assert len(api.bodies) <= 8 + 2


def test_an_api_that_limits_all_calls_is_given_up_by_all_together(api: Any, ask: Ask, model_of: Open) -> None:
    api.refuses(429, "slow down")
    errors = at_once([model_of() for _ in range(30)], ask("x"))
    assert {error.kind for error in errors} == {"rate_limit"}
    # Eight, and after each of three pauses half as many.
    assert len(api.bodies) <= 8 + 4 + 2 + 1


def test_workers_at_once_pay_little_together(api: Any, ask: Ask, worker: Open) -> None:
    api.refuses(500, "oops")

    def work(model: TextModel, name: int) -> None:
        cases = (replace(ask("x"), case_id=f"{name}-{number}") for number in range(10))
        kinds.extend(failing(model, case).kind for case in cases)

    kinds: list[str] = []
    threads = [threading.Thread(target=work, args=(worker(attempts=3), name)) for name in range(8)]
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
        assert "Not asked" not in str(failing(model, ask("x")))
    assert len(api.bodies) == 5


def test_a_refused_key_stays_refused_for_its_model_and_run(api: Any, ask: Ask, worker: Open) -> None:
    api.refuses(401, "no")
    for model in (worker(), worker("gpt-y"), worker(session="next")):
        assert "Not asked" not in str(failing(model, ask("x")))
    assert failing(worker(), ask("x")).kind == "authentication"
    assert len(api.bodies) == 3
