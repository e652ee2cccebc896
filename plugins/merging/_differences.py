"""What two descriptions say otherwise."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

_LONGEST = 40


def differences(one: Mapping[str, Any], other: Mapping[str, Any], within: str = "") -> Iterator[str]:
    """Yield each field in which two descriptions differ, with what both say.

    Args:
        one: Plain values by name.
        other: The same of another.
        within: Name of what they describe a part of.
    """
    for name in {**one, **other}:
        mine, theirs = one.get(name), other.get(name)
        path = f"{within}.{name}" if within else str(name)
        if mine == theirs:
            continue
        if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
            yield from differences(mine, theirs, path)
        else:
            yield f"{path} is {_short(mine)} and {_short(theirs)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
