"""Text of models and servers, of files and users."""

from rich import box
from rich.table import Table

LONGEST = 1_500


def safe(text: str, longest: int | None = LONGEST) -> str:
    """Return untrusted text for a terminal: cut, and what would steer the terminal shown as an escape.

    Args:
        text: The text.
        longest: Most characters to show; None for all.
    """
    cut = text
    if longest is not None and len(text) > longest:
        cut = f"{text[:longest]} ({len(text):,} characters in all)"
    return "".join(
        character if character.isprintable() or character == "\n" else ascii(character)[1:-1]
        for character in cut
    )


def one_line(text: str) -> str:
    """Return untrusted text for one line of a terminal: whole, what breaks a line shown as an escape, too."""
    return safe(text, None).replace("\n", "\\n")


def counted(count: int, what: str) -> str:
    """Return how many there are of something: ``1 case``, ``2,400 cases``.

    Args:
        count: How many.
        what: Its name in the singular; the plural has an s.
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a span of time as exact as a person wants to know it: ``45 s``, ``12 min``, ``3 h 5 min``.

    Args:
        seconds: 0 or more.
    """
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"


_UNITS = ("B", "kB", "MB")


def sized(size: int) -> str:
    """Return a size in the largest unit of which it has one: ``532 B``, ``28.7 kB``, ``1,204.0 MB``.

    Args:
        size: In bytes.
    """
    power = min(max(len(str(size)) - 1, 0) // 3, len(_UNITS) - 1)
    return f"{size / 1000**power:,.{1 if power else 0}f} {_UNITS[power]}"


def usd(value: float) -> str:
    """Return an amount of USD in words: with cents, or with six places where it is under a dollar."""
    return f"{value:,.2f} USD" if value >= 1 else f"{value:.6f} USD"


def counted_table(title: str, first: str, *headings: str) -> Table:
    """Return an empty table whose first column holds names and all others numbers.

    Args:
        title: What stands above it.
        first: Heading of the names.
        headings: Headings of the numbers.
    """
    table = Table(title=title, box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table
