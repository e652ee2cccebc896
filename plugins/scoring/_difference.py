"""What an answer lacks and what it has too much, for a person to read."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from plugins.scoring._counts import compare
from plugins.scoring._keys import ID_KEY
from plugins.scoring._values_by_key import Values

_SHOWN = 50


def difference(values: Mapping[str, Values]) -> str:
    """Return the difference between gold and answer, a line a value or route: ``-`` missing, ``+`` extra.

    Args:
        values: What the result holds and what it should hold (see `values_by_key`).
    """
    found = {
        key: (gold - returned, returned - gold)
        for key, (gold, returned) in values.items()
        if _differ(key, gold, returned)
    }
    lines = (
        line
        for key, (missing, extra) in found.items()
        for sign, values in (("-", missing), ("+", extra))
        for line in _lines(sign, key, values)
    )
    return "\n".join(lines) or "no difference"


def _lines(sign: str, key: str, values: Collection[Any]) -> Iterator[str]:
    shown = sorted(values, key=_in_order)[:_SHOWN]
    yield from (f"{sign} {key}: {' -> '.join(map(str, v)) if isinstance(v, tuple) else v}" for v in shown)
    if len(values) > _SHOWN:
        yield f"{sign} {key}: {len(values) - _SHOWN:,} more"


def _in_order(value: Any) -> tuple[int, Any]:
    """Order routes by their ids, and all else by its text."""
    return (0, value) if isinstance(value, tuple) else (1, str(value))


def _differ(key: str, gold: frozenset[Any], returned: frozenset[Any]) -> bool:
    """Whether what is scored differs: yields that are nearly the same do not, and the id has no score."""
    if key == "route":
        return gold != returned
    return key != ID_KEY and compare(key, returned, gold).f1 < 1.0
