"""Keys and passwords, and what is left of a text without them."""

import base64
import html
import json
from typing import Any

import markupsafe
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2.utils import htmlsafe_json_dumps

from retrocypher.kg.errors import InputError
from retrocypher.kg.secrets import Secrets, redact_all, secrets_of
from retrocypher.prompts.models.openai_client import apart
from retrocypher.prompts.models.spec import parse_spec

KEY = "sk-0123456789abcdef"


def test_what_an_environment_holds() -> None:
    environment = {
        "OPENAI_API_KEY": f" {KEY}\n",
        "NEO4J_PASSWORD": "of-the-graph",
        "OPENAI_BASE_URL": "https://me:of%20the%20api@host/v1",
        "PATH": "/not/secret/at/all",
    }
    basic = base64.b64encode(b"me:of the api").decode()
    found = secrets_of(environment, ["bolt://neo4j:of-the-address@host:7687", "auto"]).values
    assert found == {KEY, "of-the-graph", "of%20the%20api", "of the api", basic, "of-the-address"} | {
        base64.b64encode(b"neo4j:of-the-address").decode()
    }


def test_a_user_alone_is_a_token_of_an_api_and_a_name_at_a_graph() -> None:
    assert "a-long-token" in secrets_of({"OPENAI_BASE_URL": "https://a-long-token@host/v1"}).values
    assert not secrets_of({}, ["bolt://somebody@host"])


@pytest.mark.parametrize("key", ["", "x", "none", "EMPTY", "ollama", "1234567"])
def test_a_placeholder_for_a_key_is_no_secret(key: str) -> None:
    assert not secrets_of({"OPENAI_API_KEY": key})
    assert secrets_of({"OPENAI_API_KEY": key}).redact(f"MATCH (x:{key})") == f"MATCH (x:{key})"


@given(st.text(min_size=8), st.text(), st.text())
def test_a_struck_text_holds_no_secret_in_any_form(secret: str, before: str, after: str) -> None:
    secrets = Secrets([secret])
    in_html = (html.escape(secret), html.escape(secret, quote=False), str(markupsafe.escape(secret)))
    for form in (secret, json.dumps(secret)[1:-1], repr(secret)[1:-1], *in_html):
        assert not secrets.are_in(secrets.redact(before + form + after).replace("***", ""))
    assert secrets.redact(secret) == "***"


@given(st.text(min_size=8))
def test_a_secret_written_twice_over_is_struck(secret: str) -> None:
    secrets = Secrets([secret])
    in_json = json.dumps(secret)
    for form in (
        json.dumps(in_json),
        json.dumps({"page": html.escape(secret)}),
        html.escape(in_json),
        str(htmlsafe_json_dumps(in_json)),
    ):
        left = secrets.redact(form)
        assert "***" in left
        assert not secrets.are_in(left.replace("***", ""))


@pytest.mark.parametrize(
    ("secrets", "text", "redacted"),
    [
        (["p@ss/word"], "http://me:p%40ss%2Fword@host", "http://me:***@host"),
        (["password", "password-and-more"], "password-and-more password", "*** ***"),
    ],
)
def test_an_address_hides_a_secret_in_its_own_way_and_the_longer_of_two_goes_whole(
    secrets: list[str], text: str, redacted: str
) -> None:
    assert Secrets(secrets).redact(text) == redacted


def test_fields_keep_their_names() -> None:
    value: dict[str, Any] = {"password": ["my password", 1, None, {"a": ("password",)}]}
    assert redact_all(Secrets(["password"]), value) == {"password": ["my ***", 1, None, {"a": ["***"]}]}


@pytest.mark.parametrize("text", [KEY, f"mini={KEY}", "mini=my-own-key-of-16", "sk-another-one-0123456789"])
def test_a_key_in_place_of_a_model_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(InputError, match="a key stands where") as caught:
        parse_spec(text, {"OPENAI_API_KEY": "my-own-key-of-16"})
    assert "0123456789" not in str(caught.value)
    assert "my-own" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "bare", "credentials"),
    [
        ("https://host/v1", "https://host/v1", None),
        ("https://me:p%40ss@host:8/v1", "https://host:8/v1", ("me", "p@ss")),
        ("https://token@host/v1/", "https://host/v1/", ("token", "")),
    ],
)
def test_credentials_are_taken_out_of_an_address(
    address: str, bare: str, credentials: tuple[str, str] | None
) -> None:
    assert apart(address) == (bare, credentials)
