"""The name under which an answer is kept."""

import hashlib
import json
from collections.abc import Mapping, Sequence

from prompts.answers._identity import Identity

_FORM = 1


def answer_key(identity: Identity, messages: Sequence[Mapping[str, str]], repeat: int = 0) -> str:
    """Return the SHA-256 of a request, in hexadecimal.

    Two requests have one key exactly if model, API, parameters and messages are equal, and both are asked
    for the same time within their case. The order of parameters does not count, that of messages does.

    Args:
        identity: Who is asked.
        messages: What is asked.
        repeat: How often a case has asked the same before. A loop that asks again wants to be answered
            again, and gets what it got the last time it asked as often.
    """
    request = {
        "form": _FORM,
        "model": identity.model,
        "api": identity.api,
        "parameters": dict(identity.parameters),
        "messages": [dict(message) for message in messages],
        "repeat": repeat,
    }
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
