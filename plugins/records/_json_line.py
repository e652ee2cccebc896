"""JSON as it is written, one line a value."""

import json
from typing import Any


def json_line(value: Any) -> str:
    """Return a value as one line of JSON that any reader takes, without the line's end.

    Half a surrogate pair, which a model may answer with and UTF-8 cannot hold, becomes a JSON escape.

    Raises:
        ValueError: If a number is not finite.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode()
