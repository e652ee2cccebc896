"""Sizes of files."""

_UNITS = ("B", "kB", "MB")


def sized(size: int) -> str:
    """Return a size in the largest unit of which it has one: ``532 B``, ``28.7 kB``, ``1,204.0 MB``.

    Args:
        size: In bytes.
    """
    power = min(max(len(str(size)) - 1, 0) // 3, len(_UNITS) - 1)
    return f"{size / 1000**power:,.{1 if power else 0}f} {_UNITS[power]}"
