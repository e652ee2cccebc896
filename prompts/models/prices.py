"""Prices of models behind an API, from ``prices.yaml``."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import yaml
from msgspec import Meta, Struct, convert

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.spec import ModelSpec

_FILE = Path(__file__).with_name("prices.yaml")
_SHOWN = "prompts/models/prices.yaml"
_DATED = re.compile(r"(?P<undated>.+)-\d{4}-\d{2}-\d{2}")
_MONTH = r"\A\d{4}-\d{2}(-\d{2})?\Z"


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a model, in USD per million tokens."""

    prompt: float
    completion: float

    def cost(self, tokens: Mapping[str, float]) -> float:
        """Return the cost in USD of a call with these ``prompt`` and ``completion`` counts."""
        return (tokens["prompt"] * self.prompt + tokens["completion"] * self.completion) / 1_000_000


# A dollar a token; more is a slip of the pen.
_Dollars = Annotated[float, Meta(ge=0, le=1_000_000)]


class _Entry(Struct, frozen=True, forbid_unknown_fields=True):
    id: Annotated[str, Meta(min_length=1)]
    prompt: _Dollars
    completion: _Dollars


class _Page(Struct, frozen=True, forbid_unknown_fields=True):
    as_of: Annotated[str, Meta(pattern=_MONTH)]
    models: list[_Entry]


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
        if isinstance(body, dict) and isinstance(body.get("as_of"), date):
            body["as_of"] = str(body["as_of"])
        page = convert(body, _Page)
        date.fromisoformat(f"{page.as_of}-01"[:10])
    # An impossible day of a date is a ValueError, and so is what has another form.
    except (yaml.YAMLError, ValueError) as error:
        why = " ".join(str(error).split())
        raise InputError(f"{_SHOWN} is not as its comments say ({why}). Correct it there.") from error
    found = {each.id: Price(each.prompt, each.completion) for each in page.models}
    for name, count in Counter(each.id for each in page.models).items():
        if count > 1:
            raise InputError(f"{_SHOWN}: {name} has {count} entries. Leave one.")
    return Prices(page.as_of, found)


def require_prices(specs: Iterable[ModelSpec]) -> None:
    """Refuse a limit on the cost of models behind an API whose price is not known; raise InputError."""
    prices = load_prices()
    for spec in specs:
        if spec.kind == "openai" and prices.of(spec.argument) is None:
            raise InputError(
                f"--max-cost: the price of {spec.argument} is not known. Add it to "
                "prompts/models/prices.yaml, or leave out --max-cost."
            )


def prices_used(specs: Iterable[ModelSpec]) -> dict[str, Any] | None:
    """Return the known prices of the models of a run, those of its loops included, for its manifest."""
    names = dict.fromkeys(spec.argument for spec in specs if spec.kind == "openai")
    if not names:
        return None
    prices = load_prices()
    known = {name: asdict(price) for name in names if (price := prices.of(name)) is not None}
    return {"as_of": prices.as_of, "usd_per_million_tokens": known} if known else None
