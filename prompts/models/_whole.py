"""Messages as a model can be sent them."""

import re
from collections.abc import Iterable

from prompts.models._interface import Message

_HALF = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"


def whole_messages(messages: Iterable[Message]) -> list[Message]:
    """Return messages with the replacement character for each half of a surrogate pair.

    An answer that was cut within an emoji ends with one, and loops hand answers on; no request can hold it.
    """
    return [{name: _HALF.sub(_REPLACEMENT, text) for name, text in message.items()} for message in messages]
