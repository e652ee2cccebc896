"""Where commands print their tables."""

import difflib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import click
from rich.console import Console

from retrocypher.plugins.analysis.score_table import DIMENSIONS
from retrocypher.plugins.analysis.scores import MEASURES
from retrocypher.plugins.runs.record import fields_of

_WIDE = 240


def table_console(width: int = _WIDE) -> Console:
    """Return a console as wide as the terminal or ``COLUMNS``.

    Args:
        width: Characters in a line without either; all tables fit the one it is else.
    """
    console = Console(highlight=False)
    if console.is_terminal or os.environ.get("COLUMNS"):
        return console
    return Console(highlight=False, width=width)


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def print_json(value: Any) -> None:
    """Print a value as JSON that any reader takes, on lines a person can read.

    Raises:
        ValueError: If a number is not finite.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False, default=fields_of)
    # Half a surrogate pair, which a model may answer with, is no text to a terminal.
    click.echo(text.encode("utf-8", "backslashreplace").decode())


def announcer(as_json: bool) -> Callable[[str], None]:
    """Return what tells the user how a command gets on: on stderr where stdout is for the JSON alone."""
    return _on_stderr if as_json else click.echo


def _on_stderr(line: str) -> None:
    click.echo(line, err=True)


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


def measure(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Check the name of a score; raises BadParameter where there is no such score."""
    return _known(value, MEASURES)


def slicing(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> list[tuple[str, ...]]:
    """Read slicings such as ``task,steps``; raises BadParameter where there is no such dimension."""
    return [tuple(_known(name.strip(), DIMENSIONS) for name in each.split(",")) for each in value]


def _known(name: str, names: Sequence[str]) -> str:
    if name in names:
        return name
    near = difflib.get_close_matches(name.lower(), names, n=1)
    meant = f"did you mean {near[0]}? Else " if near else ""
    raise click.BadParameter(f"{name}: not known; {meant}choose from {', '.join(names)}")
