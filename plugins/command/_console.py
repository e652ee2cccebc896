"""Where commands print their tables."""

from rich.console import Console

_WIDE = 240


def table_console() -> Console:
    """Return a console as wide as the terminal; wide enough for all tables where there is none."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDE)
