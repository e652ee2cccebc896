"""``--json``: what a command found, for programs."""

import json
from collections.abc import Callable
from typing import Any

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def print_json(value: Any) -> None:
    """Print a value as JSON that any reader takes, on lines a person can read.

    Raises:
        ValueError: If a number is not finite.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    # Half a surrogate pair, which a model may answer with, is no text to a terminal.
    click.echo(text.encode("utf-8", "backslashreplace").decode())


def announcer(as_json: bool) -> Callable[[str], None]:
    """Return what tells the user how a command gets on: on stderr where stdout is for the JSON alone."""
    return _on_stderr if as_json else click.echo


def _on_stderr(line: str) -> None:
    click.echo(line, err=True)
