"""Numbers for people, and untrusted text made safe for a terminal."""

from decimal import Decimal

LONGEST = 1_500


def safe(text: str, longest: int | None = LONGEST) -> str:
    """Return untrusted text for a terminal: shortened, with control characters shown as escapes.

    Args:
        longest: Maximum number of characters; None for all.
    """
    cut = text
    if longest is not None and len(text) > longest:
        cut = f"{text[:longest]} ({len(text):,} characters in all)"
    return "".join(
        character if character.isprintable() or character == "\n" else ascii(character)[1:-1]
        for character in cut
    )


def shortened(text: str, length: int) -> str:
    """Return a text, cut if it is longer than ``length`` characters."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def one_line(text: str) -> str:
    """Return untrusted text for one line of a terminal: complete, with line breaks shown as escapes, too."""
    return safe(text, None).replace("\n", "\\n")


def counted(count: int, what: str) -> str:
    """Return a count with its noun: ``1 case``, ``2,400 cases``. The plural has an s."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a duration (0 or more seconds) rounded for people: ``45 s``, ``12 min``, ``3 h 5 min``."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"


_UNITS = ("B", "kB", "MB")


def sized(size: int) -> str:
    """Return a size in bytes in the largest suitable unit: ``532 B``, ``28.7 kB``, ``1,204.0 MB``."""
    power = min(max(len(str(size)) - 1, 0) // 3, len(_UNITS) - 1)
    return f"{size / 1000**power:,.{1 if power else 0}f} {_UNITS[power]}"


def usd(value: float) -> str:
    """Return an amount in USD, with three significant digits."""
    return f"{three_significant(value)} USD"


def three_significant(value: float) -> str:
    """Return a number with three significant digits and no exponent: ``1,230``, ``1.50``, ``0.000123``."""
    # Rounded before the digits are counted: 0.9996 is 1.00.
    return f"{Decimal(f'{value:.2e}'):,f}" if value else "0"
