"""Shared by commands: the --json option, path types, and output of tables, JSON and progress."""

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.record import fields_of

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 240
_Command = TypeVar("_Command", bound=Callable[..., Any])


def table_console(width: int = _WIDE) -> "Console":
    """Return a console as wide as the terminal or ``COLUMNS``; without either, ``width`` characters wide."""
    # Imported late: commands that print lines or JSON start faster.
    from rich.console import Console

    console = Console(highlight=False)
    if console.is_terminal or os.environ.get("COLUMNS"):
        return console
    return Console(highlight=False, width=width)


class NumberRange(click.FloatRange):
    """A range without nan, for which no comparison with an end is true."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; fail if it is none of the range."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


SHARE = NumberRange(0, 1)
PATH = click.Path(path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
EXISTING_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def former_option(former: str, now: str, name: str | None = None) -> Callable[[_Command], _Command]:
    """Return a hidden option that sets the option which has replaced it, with a note on stderr.

    Args:
        now: The option as it is written now.
        name: The name of its parameter; None if that is as the option is written.
    """
    parameter = name or now.removeprefix("--")

    def replace(context: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is None:
            return
        click.echo(f"note: {former} is now called {now}; the former name will go", err=True)
        # As a default: the option under its present name checks it, and wins where both are given.
        context.default_map = {**(context.default_map or {}), parameter: value}

    return click.option(
        former,
        f"former_{parameter}",
        hidden=True,
        expose_value=False,
        is_eager=True,
        callback=replace,
    )


def server_option(purpose: str) -> Callable[[_Command], _Command]:
    """Return ``--server`` of a command that starts a Neo4j or uses one, with its former name ``--graph``.

    Args:
        purpose: What the server is for, after "The Neo4j".
    """
    option = click.option(
        "--server",
        metavar="SPEC",
        default="auto",
        show_default=True,
        help=f"The Neo4j {purpose}: auto, docker, local or a URI.",
    )
    return lambda command: option(former_option("--graph", "--server")(command))


built_graph_option = click.option(
    "--graph",
    "folder",
    metavar="DIR",
    type=EXISTING_FOLDER,
    help="Graph built by `retrocypher graph build` (default: the default graph).",
)


def needs(other: str, *names: str) -> None:
    """Raise InputError if options of this command, by the names of their parameters, lack the other one.

    Args:
        other: The option without which they have no effect, as it is written.
    """
    context = click.get_current_context()
    given = [each for each in names if context.get_parameter_source(each) != ParameterSource.DEFAULT]
    found = {
        flag: context.params.get(each.name or "") for each in context.command.params for flag in each.opts
    }
    if given and not found[other.split()[0]]:
        raise InputError(f"--{given[0].replace('_', '-')} goes with {other}; leave it out, or give both")


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def print_json(value: Any) -> None:
    """Print a value as standard, indented JSON; structs and dataclasses become objects of their fields."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False, default=fields_of)
    # A lone surrogate, which a model may answer with, cannot be printed.
    click.echo(text.encode("utf-8", "backslashreplace").decode())


def emit(as_json: bool, value: Any, *lines: str) -> None:
    """Print a result: its value with ``--json``, its lines otherwise."""
    if as_json:
        print_json(value)
    else:
        click.echo("\n".join(lines))
