"""Beginnings that many prompts share, read by llama.cpp once."""

import hashlib
import json

from prompts.models._interface import Chat, Message, Request
from prompts.models._llama_client import LlamaClient
from prompts.models._whole import whole_messages

_CHAT = "/v1/chat/completions"
_SLOT = "/slots/0?action="
GO_ON = {"cache_prompt": True}
"""Asks to go on from the state that was taken up."""


class Beginnings:
    """What llama.cpp made of beginnings, in files of its own folder, by their hash.

    A state is always that of a beginning read on its own, and always taken from its file. So an answer
    depends on its prompt alone, and not on what was asked before it.

    Args:
        client: The process.
    """

    def __init__(self, client: LlamaClient) -> None:
        self._client = client

    def take_up(self, request: Request | Chat) -> bool:
        """Put llama.cpp where it has read the beginning of a request; return whether it is there.

        It is not where the request shares nothing, and where the beginning cannot be read on its own or kept:
        then the request is read whole. Raises as `LlamaClient.post`.

        Args:
            request: The request; nobody else may ask before it is answered.
        """
        if request.common is None:
            return False
        messages = _beginning(request.messages, request.common)
        name = hashlib.sha256(json.dumps(messages).encode()).hexdigest()
        if self._slot("restore", name):
            return True
        status, _ = self._client.post(_CHAT, {"messages": messages, "temperature": 0, "max_tokens": 1})
        return status == 200 and self._slot("save", name) and self._slot("restore", name)

    def _slot(self, action: str, name: str) -> bool:
        status, _ = self._client.post(f"{_SLOT}{action}", {"filename": name})
        return status == 200


def _beginning(messages: list[Message], common: int) -> list[Message]:
    *before, last = messages
    return whole_messages([*before, {**last, "content": last["content"][:common]}])
