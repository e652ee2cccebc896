"""Calls that end in time, and log-probabilities of numbers."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.prompts.models.openai_client import in_time, number_tokens


async def deaf() -> str:
    """Takes no notice of being cancelled once."""
    for _ in range(2):
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            continue
    return "late"


def test_a_call_ends_in_time_with_what_it_returns_or_raises() -> None:
    async def answer() -> str:
        return "ok"

    async def fail() -> str:
        raise ValueError("no")

    assert asyncio.run(in_time(answer, 5)) == "ok"
    with pytest.raises(ValueError, match="no"):
        asyncio.run(in_time(fail, 5))
    with asyncio.Runner() as runner, pytest.raises(TimeoutError):
        runner.run(in_time(deaf, 0.05))


def told(pieces: list[bytes], alternatives: list[tuple[str, float]] | None = None) -> dict[str, Any]:
    tokens = []
    for piece in pieces:
        name = piece.decode("utf-8", "replace")
        others = [{"token": other, "logprob": logprob} for other, logprob in alternatives or ()]
        tokens.append({"token": name, "logprob": -0.1, "bytes": list(piece), "top_logprobs": others})
    return {"content": tokens}


def test_numbers_are_found_with_what_might_have_stood_there() -> None:
    likely = [("7", -0.1), ("9", -2.5), (" 7", -3.0), ("x", -3.0), ("٣", -4.0)]
    found = number_tokens('{"é": 7}', told([b'{"', b"\xc3", b"\xa9", b'":', b" 7", b"}", b"<|end|>"], likely))
    assert found == [{"at": 6, "token": "7", "likely": [["7", -0.1], ["9", -2.5], ["7", -3.0]]}]
    assert '{"é": 7}'[6] == "7"


@pytest.mark.parametrize(
    "found", [None, {"content": None}, {"content": "7"}, {"content": [None, 3, {"token": 7}]}, told([b"7"])]
)
def test_log_probabilities_of_another_form_are_passed_over(found: dict[str, Any] | None) -> None:
    assert number_tokens("7", found) == []
    assert number_tokens("8", told([b"7"])) == number_tokens("", told([b"7"])) == []


def test_the_token_itself_is_always_among_the_likely() -> None:
    assert number_tokens("7", told([b"7"], [("x", -2.5)])) == [
        {"at": 0, "token": "7", "likely": [["7", -0.1]]}
    ]
    wrong = [("1", float("nan")), ("2", 0.5), ("3", float("-inf")), ("4", True)]
    (found,) = number_tokens("7", told([b"7"], wrong))
    assert found["likely"] == [["3", -9999.0], ["7", -0.1]]
    json.dumps(found, allow_nan=False)


@given(st.text(alphabet="a1 é😀27", max_size=20), st.data())
def test_every_number_is_where_it_is_said_to_be(text: str, data: st.DataObject) -> None:
    whole, pieces = text.encode(), []
    while whole:
        size = data.draw(st.integers(1, len(whole)))
        pieces.append(whole[:size])
        whole = whole[size:]
    for found in number_tokens(text, told(pieces, [("x", -2.5)])):
        assert text[found["at"] :].startswith(found["token"])
