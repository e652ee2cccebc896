"""Numbers of things."""


def counted(count: int, what: str) -> str:
    """Return how many there are of something: ``1 case``, ``2,400 cases``.

    Args:
        count: How many.
        what: Its name in the singular; the plural has an s.
    """
    return f"{count:,} {what}{'' if count == 1 else 's'}"
