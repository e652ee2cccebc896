"""Prices of models behind an API, from ``prices.yaml``."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.spec import ModelSpec

_FILE = Path(__file__).with_name("prices.yaml")
_SHOWN = "prompts/models/prices.yaml"
_FIELDS = ("id", "prompt", "completion")
_PRICES = _FIELDS[1:]
_DATED = re.compile(r"(?P<undated>.+)-\d{4}-\d{2}-\d{2}")
_AS_OF = re.compile(r"\d{4}-\d{2}(-\d{2})?")
# A dollar a token; more is a slip of the pen.
_HIGHEST = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a model, in USD per million tokens."""

    prompt: float
    completion: float

    def cost(self, tokens: Mapping[str, int]) -> float:
        """Return the cost in USD of a call with these ``prompt`` and ``completion`` counts."""
        return (tokens["prompt"] * self.prompt + tokens["completion"] * self.completion) / 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """List prices by model name, with their date (``YYYY-MM`` or ``YYYY-MM-DD``)."""

    as_of: str
    models: Mapping[str, Price]

    def of(self, name: str) -> Price | None:
        """Return the price of a model by the API's name for it; None where it is not known.

        A name that ends in a date has the price of the name without it, unless it has its own.
        """
        dated = _DATED.fullmatch(name)
        return self.models.get(name) or (self.models.get(dated["undated"]) if dated else None)


@cache
def load_prices() -> Prices:
    """Return the prices of ``prices.yaml``; raise InputError if it is not as its comments say."""
    try:
        return parse_prices(_FILE.read_text(encoding="utf-8"))
    except (OSError, UnicodeError) as error:
        raise InputError(f"{_SHOWN} cannot be read ({error}). Restore it from the repository.") from error


def parse_prices(text: str) -> Prices:
    """Return the prices of a YAML text; raises as `load_prices`."""
    try:
        body = yaml.safe_load(text)
    # An impossible day of a date is a ValueError.
    except (yaml.YAMLError, ValueError) as error:
        why = " ".join(str(error).split())
        raise InputError(f"{_SHOWN} is not YAML ({why}). Correct it there.") from error
    if not isinstance(body, dict) or body.keys() != {"as_of", "models"}:
        raise InputError(f"{_SHOWN} must hold `as_of` and `models`, and nothing else.")
    if not isinstance(body["models"], list):
        raise InputError(f"{_SHOWN}: `models` must be a list of entries with {', '.join(_FIELDS)}.")
    found: dict[str, Price] = {}
    for number, entry in enumerate(body["models"], 1):
        name, price = _entry(number, entry)
        if name in found:
            raise InputError(f"{_SHOWN}: {name} has two entries. Leave one.")
        found[name] = price
    return Prices(_as_of(body["as_of"]), found)


def prices_used(specs: Iterable[ModelSpec]) -> dict[str, Any] | None:
    """Return the known prices of the models of a run, those of its loops included, for its manifest."""
    names = dict.fromkeys(spec.argument for spec in specs if spec.kind == "openai")
    if not names:
        return None
    prices = load_prices()
    known = {name: asdict(price) for name in names if (price := prices.of(name)) is not None}
    return {"as_of": prices.as_of, "usd_per_million_tokens": known} if known else None


def _entry(number: int, entry: Any) -> tuple[str, Price]:
    where = f"{_SHOWN}, entry {number}"
    if not isinstance(entry, dict) or entry.keys() != set(_FIELDS):
        raise InputError(f"{where}: expected {', '.join(_FIELDS)}, and nothing else.")
    name = entry["id"]
    if not isinstance(name, str) or not name:
        raise InputError(
            f"{where}: `id` must be the name of a model; put one that looks like a number in quotes."
        )
    for field in _PRICES:
        price = entry[field]
        if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price <= _HIGHEST:
            raise InputError(
                f"{where} ({name}): `{field}` must be a number of USD per million tokens, 0 to {_HIGHEST:,}. "
                "Leave the entry out where the price is not known."
            )
    return name, Price(*(float(entry[field]) for field in _PRICES))


def _as_of(value: Any) -> str:
    text = str(value)
    try:
        if _AS_OF.fullmatch(text):
            date.fromisoformat(text if len(text) > len("YYYY-MM") else f"{text}-01")
            return text
    except ValueError:
        pass
    raise InputError(f"{_SHOWN}: `as_of` must be the month or day of the prices, YYYY-MM or YYYY-MM-DD.")
