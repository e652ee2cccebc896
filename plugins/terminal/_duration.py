"""Spans of time."""


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
