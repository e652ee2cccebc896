"""JSON that is all of an answer."""

import json
import re
from typing import Any

_LONGEST = 200_000
_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)


def sole_json(reply: str) -> Any:
    """Return the one JSON value that a reply is, but for a fence around it.

    Of several values, a value among words, a name given twice or a number that is none nobody could say what
    was meant; and what a reply quotes must not be taken for what it says.

    Args:
        reply: What a model replied.

    Raises:
        ValueError: If it is anything else; says why in a few words.
    """
    text = reply.strip()
    if len(text) > _LONGEST:
        raise ValueError(f"longer than {_LONGEST:,} characters")
    if fenced := _FENCED.match(text):
        text = fenced[1]
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deep") from None
    except _UnclearError as error:
        raise ValueError(str(error)) from None
    except ValueError as error:
        raise ValueError(f"not JSON ({error})") from None


class _UnclearError(ValueError):
    """JSON as Python reads it, of which nobody could say what is meant."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _UnclearError("a name stands twice in one object")
    return found


def _no_number(name: str) -> Any:
    raise _UnclearError(f"{name} is no number")
