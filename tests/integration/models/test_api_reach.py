"""What is said of an API before its cases are asked."""

import socket
from typing import Any

from retrocypher.prompts.models.openai_client import api_address, silent_api
from retrocypher.prompts.models.spec import parse_spec

KEY = {"OPENAI_API_KEY": "sk-very-secret-0123"}
ORACLE = parse_spec("oracle", {})
API = parse_spec("gpt-x", KEY)


def test_an_api_that_replies_is_not_spoken_of(api: Any) -> None:
    # The scripted server knows no list of models and refuses to give one: it is there all the same.
    assert silent_api([ORACLE, API], environment=api.env) is None


def test_an_api_that_is_not_there_is_named_with_the_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closing:
        host = f"127.0.0.1:{closing.getsockname()[1]}"
    environment = {**KEY, "OPENAI_BASE_URL": f"http://me:hidden@{host}/v1?token=hidden"}
    said = silent_api([API], environment=environment)
    assert said is not None
    assert said.startswith(f"The API at {host}/v1 does not answer (Connection refused).")
    assert "hidden" not in said
    assert "secret" not in said
    assert silent_api([ORACLE], environment=environment) is None


def test_an_api_that_drips_for_ever_does_not_answer(dripping: Any) -> None:
    said = silent_api([API], environment=dripping.env, longest_s=0.5)
    assert said is not None
    assert "does not answer (no reply within 0.5 s)" in said


def test_the_address_is_told_without_what_is_secret() -> None:
    assert api_address([ORACLE, API], environment={}) == "api.openai.com/v1"
    other = {"OPENAI_BASE_URL": "https://u:p@host:8000/a/v1/?key=k#f"}
    assert api_address([API], environment=other) == "host:8000/a/v1"
    assert api_address([ORACLE], environment=other) is None
