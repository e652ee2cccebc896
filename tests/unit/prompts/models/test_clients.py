"""Clients of models: what is sent, calls that end, log-probabilities, shared beginnings, prices."""

import asyncio
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.gateways import model_of, start_gateway
from support.roles_api import RolesApi, Said, always

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.interface import Chat, whole_messages
from retrocypher.prompts.models.llama import LlamaClient, PrefixCache
from retrocypher.prompts.models.openai_client import in_time, number_tokens
from retrocypher.prompts.models.prices import Price, load_prices, parse_prices, prices_used
from retrocypher.prompts.models.spec import DEFAULT_MODEL, ModelSpec, parse_spec


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


def logprobs_of(pieces: list[bytes], alternatives: list[tuple[str, float]] | None = None) -> dict[str, Any]:
    tokens = []
    for piece in pieces:
        name = piece.decode("utf-8", "replace")
        others = [{"token": other, "logprob": logprob} for other, logprob in alternatives or ()]
        tokens.append({"token": name, "logprob": -0.1, "bytes": list(piece), "top_logprobs": others})
    return {"content": tokens}


def test_numbers_are_found_with_what_might_have_stood_there() -> None:
    likely = [("7", -0.1), ("9", -2.5), (" 7", -3.0), ("x", -3.0), ("٣", -4.0)]
    found = number_tokens(
        '{"é": 7}', logprobs_of([b'{"', b"\xc3", b"\xa9", b'":', b" 7", b"}", b"<|end|>"], likely)
    )
    assert found == [{"at": 6, "token": "7", "likely": [["7", -0.1], ["9", -2.5], ["7", -3.0]]}]
    assert '{"é": 7}'[6] == "7"


@pytest.mark.parametrize(
    "found",
    [None, {"content": None}, {"content": "7"}, {"content": [None, 3, {"token": 7}]}, logprobs_of([b"7"])],
)
def test_log_probabilities_of_another_form_are_passed_over(found: dict[str, Any] | None) -> None:
    assert number_tokens("7", found) == []
    assert number_tokens("8", logprobs_of([b"7"])) == number_tokens("", logprobs_of([b"7"])) == []


def test_the_token_itself_is_always_among_the_likely() -> None:
    assert number_tokens("7", logprobs_of([b"7"], [("x", -2.5)])) == [
        {"at": 0, "token": "7", "likely": [["7", -0.1]]}
    ]
    wrong = [("1", float("nan")), ("2", 0.5), ("3", float("-inf")), ("4", True)]
    (found,) = number_tokens("7", logprobs_of([b"7"], wrong))
    assert found["likely"] == [["3", -9999.0], ["7", -0.1]]
    json.dumps(found, allow_nan=False)


@given(st.text(alphabet="a1 é😀27", max_size=20), st.data())
def test_every_number_is_where_it_is_said_to_be(text: str, data: st.DataObject) -> None:
    whole, pieces = text.encode(), []
    while whole:
        size = data.draw(st.integers(1, len(whole)))
        pieces.append(whole[:size])
        whole = whole[size:]
    for found in number_tokens(text, logprobs_of(pieces, [("x", -2.5)])):
        assert text[found["at"] :].startswith(found["token"])


RULES = {"role": "system", "content": "Judge."}
READ = [RULES, {"role": "user", "content": "The schema."}]


@dataclass
class Process:
    """Notes what it is asked, and refuses what it is to refuse."""

    refused: set[str] = field(default_factory=set)
    kept: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    read: list[Any] = field(default_factory=list)

    def post(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        what = path.partition("action=")[2] or "read"
        self.asked.append(what)
        if what in self.refused:
            return 400, {}
        if what == "restore" and body["filename"] not in self.kept:
            return 400, {}
        if what == "save":
            self.kept.add(body["filename"])
        if what == "read":
            self.read.append(body)
        return 200, {}


def taken_up(process: Process, text: str, common: int | None = 11) -> bool:
    messages = [RULES, {"role": "user", "content": f"The schema.{text}"}]
    return PrefixCache(cast("LlamaClient", process)).take_up(messages, common)


def test_a_beginning_is_read_once_and_taken_from_its_file_every_time() -> None:
    process = Process()
    assert taken_up(process, " One?")
    assert process.asked == ["restore", "read", "save", "restore"]
    assert process.read == [{"messages": READ, "temperature": 0, "max_tokens": 1}]
    assert taken_up(process, " Another?")
    assert process.asked[4:] == ["restore"]
    assert process.kept == {hashlib.sha256(json.dumps(READ).encode()).hexdigest()}


def test_each_beginning_has_a_file_of_its_own() -> None:
    process = Process()
    assert taken_up(process, " One?")
    assert taken_up(process, " One?", common=0)
    # Half a character at the cut can be sent.
    assert taken_up(process, "\ud83d", common=12)
    assert len(process.kept) == 3
    contents = [body["messages"][1]["content"] for body in process.read]
    assert contents == ["The schema.", "", "The schema.\ufffd"]


@pytest.mark.parametrize("refused", ["read", "save"])
def test_requests_without_a_stored_beginning_are_read_whole(refused: str) -> None:
    process = Process(refused={refused})
    assert not taken_up(process, " One?")
    assert process.asked[-1] == refused
    idle = Process()
    assert not taken_up(idle, " One?", common=None)
    assert idle.asked == []


def test_half_a_character_is_replaced_and_a_whole_one_kept() -> None:
    sent = whole_messages([{"role": "user", "content": "cut \ud83d, whole \U0001f9ea, Ω"}])
    assert sent == [{"role": "user", "content": "cut \ufffd, whole \U0001f9ea, Ω"}]


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_can_be_sent(text: str) -> None:
    (sent,) = whole_messages([{"role": "user", "content": text}])
    assert json.loads(json.dumps(sent, ensure_ascii=False).encode("utf-8"))["content"] == sent["content"]
    assert len(sent["content"]) == len(text)


KEY = {"OPENAI_API_KEY": "any"}
FILE = """
as_of: 2025-08
models:
  - {id: big, prompt: 2, completion: 8.00}
  - {id: big-mini, prompt: 0.40, completion: 1.60}
  - {id: big-2024-05-13, prompt: 5, completion: 15}
  - {id: free, prompt: 0, completion: 0}
"""


def entry(text: str) -> str:
    return f"as_of: 2025-08\nmodels:\n  - {{{text}}}\n"


@pytest.mark.parametrize(
    ("name", "price"),
    [
        ("big", Price(2, 8)),
        ("big-2025-04-14", Price(2, 8)),
        ("big-2024-05-13", Price(5, 15)),
        ("big-mini", Price(0.4, 1.6)),
        ("big-mini-2025-04-14", Price(0.4, 1.6)),
        ("free", Price(0, 0)),
        ("big-nano", None),
        ("big-mini-preview", None),
        ("big-2025-04", None),
        ("big2025-04-14", None),
        ("vendor/big", None),
        ("ft:big-2025-04-14:mine", None),
        ("Big", None),
    ],
)
def test_an_entry_holds_for_its_id_and_for_dated_ones(name: str, price: Price | None) -> None:
    assert parse_prices(FILE).of(name) == price


@pytest.mark.parametrize(
    ("name", "completion", "tokens", "cost"),
    [
        (DEFAULT_MODEL, 20, {"prompt": 100, "completion": 20}, (100 * 0.40 + 20 * 1.60) / 1_000_000),
        ("unknown-model", 20, {"prompt": 100, "completion": 20}, None),
        (DEFAULT_MODEL, None, None, None),
    ],
)
def test_a_call_has_a_cost_where_price_and_counts_are_known(
    tmp_path: Path, name: str, completion: int | None, tokens: dict[str, int] | None, cost: float | None
) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": completion}
    with RolesApi({"generator": always(Said("RETURN 1", parts={"usage": usage}))}) as api:
        environment = {**KEY, "OPENAI_BASE_URL": api.address}
        with start_gateway(tmp_path, environment) as gateway:
            answer = model_of(gateway, parse_spec(name, KEY)).answer(Chat([{"role": "user", "content": "x"}]))
    assert (answer.tokens, answer.cost) == (tokens, None if cost is None else pytest.approx(cost))


def test_a_manifest_names_the_prices_of_the_models_behind_an_api() -> None:
    specs = [parse_spec(text, KEY) for text in ("mine=gpt-4o", "oracle", "unknown-model", "gpt-4o")]
    assert prices_used(specs) == {
        "as_of": load_prices().as_of,
        "usd_per_million_tokens": {"gpt-4o": {"prompt": 2.5, "completion": 10.0}},
    }
    assert prices_used([ModelSpec("x", "openai", "unknown-model")]) is None
    assert prices_used([ModelSpec("gpt-4o", "gguf", "/gpt-4o"), ModelSpec("local", "local")]) is None


@pytest.mark.parametrize("written", ["2025-08", '"2025-08"', "2025-08-07", '"2025-08-07"'])
def test_prices_have_a_month_or_a_day(written: str) -> None:
    assert parse_prices(f"as_of: {written}\nmodels: []").as_of == written.strip('"')


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("as_of: [", "line 1"),
        ("as_of: 2025-02-30\nmodels: []", "day is out of range"),
        ("", "Expected `object`"),
        ("as_of: 2025-08\nmodels: []\nmore: 1", "unknown field `more`"),
        ("as_of: 2025-08\nmodels: {big: 1}", r"Expected `array`, got `object` - at `\$.models`"),
        ("as_of: 2025-13\nmodels: []", "month must be in 1..12"),
        ("as_of: lately\nmodels: []", r"at `\$.as_of`"),
        (entry("id: big, prompt: 1"), r"missing required field `completion` - at `\$.models\[0\]`"),
        (entry("id: big, prompt: 1, completion: 1, cached: 1"), "unknown field `cached`"),
        ("as_of: 2025-08\nmodels: [big]", "Expected `object`"),
        (entry("id: 4.1, prompt: 1, completion: 1"), r"Expected `str`, got `float` - at `\$.models\[0\].id`"),
        (entry("id: big, prompt: cheap, completion: 1"), r"at `\$.models\[0\].prompt`"),
        (entry("id: big, prompt: 1, completion: "), "got `null`"),
        (entry("id: big, prompt: -1, completion: 1"), ">= 0.0"),
        (entry("id: big, prompt: .nan, completion: 1"), ">= 0.0"),
        (entry("id: big, prompt: true, completion: 1"), "got `bool`"),
        (entry(f"id: big, prompt: 1{'0' * 400}, completion: 1"), "out of range"),
        (FILE + "  - {id: big, prompt: 1, completion: 1}\n", "big has 2 entries. Leave one"),
    ],
)
def test_a_bad_file_is_told_with_the_entry(text: str, said: str) -> None:
    with pytest.raises(InputError, match=f"^prompts/models/prices.yaml.*{said}"):
        parse_prices(text)
