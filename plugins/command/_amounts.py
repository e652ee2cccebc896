"""Ages and sizes as a user writes them."""

import re
from collections.abc import Mapping
from datetime import timedelta

import click

_HOURS = {"h": 1, "d": 24, "w": 168}
_BYTES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9}
_AMOUNT = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*([A-Za-z]+)")
_LONGEST_H = 1_000 * 365 * 24


def age(text: str) -> timedelta:
    """Read an age such as ``30d``; raises BadParameter where it is none, or over 1,000 years."""
    hours = _amount(text, _HOURS)
    if hours is None or hours > _LONGEST_H:
        raise click.BadParameter(f"{text}: give a number of hours, days or weeks, such as 12h, 30d, 8w")
    return timedelta(hours=hours)


def size(text: str) -> int:
    """Read a size such as ``200MB`` as bytes; raises BadParameter where it is none."""
    number = _amount(text, _BYTES)
    if number is None:
        raise click.BadParameter(f"{text}: give a number of B, KB, MB or GB, such as 200MB")
    return round(number)


def _amount(text: str, units: Mapping[str, int]) -> float | None:
    found = _AMOUNT.fullmatch(text.strip())
    factor = units.get(found[2].lower()) if found else None
    return float(found[1]) * factor if found and factor else None
