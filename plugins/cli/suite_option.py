"""Options of the suite, as commands declare them."""

from collections.abc import Callable
from typing import Any

import click

from retrocypher.plugins.session.options import OPTION_SPECS


def suite_option(name: str, default: str | None = None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the click option for an option of the suite: its type, parser, default and help.

    Args:
        name: The name of the option in `Options`.
        default: What the command uses if the option is not given, in words, where that is not the default of
            the suite. The command then gets None.
    """
    spec = OPTION_SPECS[name]
    flag = f"--{name.replace('_', '-')}"
    shown = spec.default if default is None else default
    help = f"{spec.help[0].upper()}{spec.help[1:]}{'' if shown is None else f' (default: {shown})'}."
    if spec.action == "store_true":
        return click.option(flag, name, is_flag=True, help=help)
    return click.option(
        flag,
        name,
        metavar=spec.metavar,
        default=spec.default if default is None else None,
        callback=lambda _context, _option, given: spec.parse(flag.removeprefix("--"), given),
        help=help,
    )
