"""JSON as it is written."""

import json
from typing import Any


def json_line(value: Any) -> str:
    """Return a value as one line of JSON that any reader takes, without the line's end.

    Half a surrogate pair, which a model may answer with and UTF-8 cannot hold, becomes a JSON escape.

    Raises:
        ValueError: If a number is not finite.
    """
    return _readable(json.dumps(value, ensure_ascii=False, allow_nan=False))


def json_page(value: Any) -> str:
    """Return a value as lines of JSON for a person to read; else as `json_line`."""
    return _readable(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)) + "\n"


def _readable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
