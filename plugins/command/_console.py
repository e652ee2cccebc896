"""Where commands print their tables."""

import os

from rich.console import Console

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
