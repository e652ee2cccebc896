"""Where commands print their tables."""

import os

from rich.console import Console

_WIDE = 240


def table_console() -> Console:
    """Return a console as wide as the terminal or ``COLUMNS``; wide enough for all tables without either."""
    console = Console(highlight=False)
    if console.is_terminal or os.environ.get("COLUMNS"):
        return console
    return Console(highlight=False, width=_WIDE)
