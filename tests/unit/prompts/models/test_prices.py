"""List prices: which model has which, what a call costs, and what is refused."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.interface import Chat
from retrocypher.prompts.models.open import ModelContext
from retrocypher.prompts.models.openai_client import OpenAIClient
from retrocypher.prompts.models.prices import Price, load_prices, parse_prices, prices_used
from retrocypher.prompts.models.spec import DEFAULT_MODEL, ModelSpec, parse_spec

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


def test_a_cost_is_tokens_by_price() -> None:
    assert Price(0.40, 1.60).cost({"prompt": 1_000_000, "completion": 0}) == pytest.approx(0.40)
    assert Price(0.40, 1.60).cost({"prompt": 100, "completion": 20}) == pytest.approx(72e-6)
    assert Price(0, 0).cost({"prompt": 100, "completion": 20}) == 0.0


@pytest.mark.parametrize(
    ("name", "completion", "tokens", "cost"),
    [
        (DEFAULT_MODEL, 20, {"prompt": 100, "completion": 20}, (100 * 0.40 + 20 * 1.60) / 1_000_000),
        ("unknown-model", 20, {"prompt": 100, "completion": 20}, None),
        (DEFAULT_MODEL, None, None, None),
    ],
)
def test_a_call_has_a_cost_where_price_and_counts_are_known(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: str,
    completion: int | None,
    tokens: dict[str, int] | None,
    cost: float | None,
) -> None:
    choice = SimpleNamespace(message=SimpleNamespace(content="RETURN 1"), finish_reason="stop")
    usage = SimpleNamespace(prompt_tokens=100, completion_tokens=completion)
    reply = SimpleNamespace(choices=[choice], model="as-the-api-calls-it", usage=usage)
    monkeypatch.setattr(OpenAIClient, "complete", lambda self, **request: reply)
    model = ModelContext(tmp_path, 1, 0, environment=KEY).open_text(parse_spec(name, KEY))
    answer = model.answer(Chat([{"role": "user", "content": "?"}]))
    model.close()
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
        ("as_of: [", "is not YAML"),
        ("as_of: 2025-02-30\nmodels: []", "is not YAML"),
        ("", "must hold `as_of` and `models`"),
        ("as_of: 2025-08\nmodels: []\nmore: 1", "and nothing else"),
        ("as_of: 2025-08\nmodels: {big: 1}", "`models` must be a list"),
        ("as_of: 2025-13\nmodels: []", "`as_of` must be the month or day"),
        ("as_of: lately\nmodels: []", "`as_of` must be the month or day"),
        (entry("id: big, prompt: 1"), "entry 1: expected id, prompt, completion"),
        (entry("id: big, prompt: 1, completion: 1, cached: 1"), "entry 1: expected"),
        ("as_of: 2025-08\nmodels: [big]", "entry 1: expected"),
        (entry("id: 4.1, prompt: 1, completion: 1"), "entry 1: `id` must be .* in quotes"),
        (
            entry("id: big, prompt: cheap, completion: 1"),
            r"entry 1 \(big\): `prompt` must be a number of USD",
        ),
        (entry("id: big, prompt: 1, completion: "), r"entry 1 \(big\): `completion` must be"),
        (entry("id: big, prompt: -1, completion: 1"), "`prompt` must be"),
        (entry("id: big, prompt: .nan, completion: 1"), "`prompt` must be"),
        (entry("id: big, prompt: true, completion: 1"), "`prompt` must be"),
        (entry(f"id: big, prompt: 1{'0' * 400}, completion: 1"), "`prompt` must be"),
        (FILE + "  - {id: big, prompt: 1, completion: 1}\n", "big has two entries. Leave one"),
    ],
)
def test_a_bad_file_is_told_with_the_entry(text: str, said: str) -> None:
    with pytest.raises(InputError, match=f"^prompts/models/prices.yaml.*{said}"):
        parse_prices(text)
