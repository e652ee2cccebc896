"""The client of the session's llama.cpp process: requests over loopback, shared prefixes from files."""

import hashlib
import http.client
import json
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from retrocypher.prompts.models.interface import (
    Chat,
    Completion,
    Message,
    ModelError,
    Request,
    whole_messages,
)
from retrocypher.prompts.models.openai_client import asked_for, number_tokens
from retrocypher.prompts.models.retries import Slots

TIMEOUT_S = 900.0
_HEALTH_S = 5.0


class LlamaClient:
    """Sends requests over loopback, each on a connection of its own.

    Args:
        address: Where the process listens.
        api_key: Its token.
    """

    def __init__(self, address: str, api_key: str) -> None:
        self._host, self._port = urlsplit(address).hostname or "", urlsplit(address).port or 0
        self._headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}

    def post(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Return status and JSON of a reply.

        Raises:
            TimeoutError: If there is none within 15 minutes.
            OSError, http.client.HTTPException, ValueError: If the process is gone, or ends in between.
        """
        connection = http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT_S)
        try:
            connection.request("POST", path, json.dumps(body).encode(), self._headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def is_up(self) -> bool:
        """Return whether the process answers."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=_HEALTH_S)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


_CHAT = "/v1/chat/completions"
_SLOT = "/slots/0?action="
GO_ON = {"cache_prompt": True}
"""Asks to go on from the state that was taken up."""


class PrefixCache:
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


_COMEBACK_S = 120.0
_POLL_S = 0.1


class LlamaModel:
    """Asks llama.cpp over loopback, one request at a time over all workers, greedily.

    Args:
        label: Name in ids and tables.
        address: Where the process listens.
        api_key: Its token.
        turn: The one place at the process.
        seed: Sent along; greedy decoding does not use it.
        max_tokens: Longest answer.
        logprobs: How many log-probabilities of each token to ask for; 0 for none.
        form: JSON schema that answers are held to, token by token; None for free answers.
    """

    def __init__(
        self,
        label: str,
        address: str,
        api_key: str,
        *,
        turn: Slots,
        seed: int,
        max_tokens: int,
        logprobs: int = 0,
        form: Mapping[str, Any] | None = None,
    ) -> None:
        self.label = label
        self._client = LlamaClient(address, api_key)
        self._beginnings = PrefixCache(self._client)
        self._parameters = {"temperature": 0, "seed": seed, "max_tokens": max_tokens, **asked_for(logprobs)}
        if form is not None:
            self._parameters["response_format"] = {"type": "json_schema", "json_schema": {"schema": form}}
        self._turn = turn
        self._lost = False

    def answer(self, request: Request | Chat) -> Completion:
        """Answer a request; a prompt longer than the context is answered without a query.

        A process that dies while it answers is brought back by its owner, and asked once more.

        Raises:
            ModelError: If the process is gone for good, dies twice over one request, takes over 15 minutes
                or refuses the request.
        """
        body = {"messages": whole_messages(request.messages), **self._parameters}
        with self._turn.hold():
            for _ in range(2):
                self._wait_until_up()
                started = time.perf_counter()
                try:
                    more = GO_ON if self._beginnings.take_up(request) else {}
                    status, reply = self._client.post("/v1/chat/completions", {**body, **more})
                except TimeoutError:
                    raise ModelError(
                        "timeout", f"llama.cpp gave no answer within {TIMEOUT_S:.0f} s."
                    ) from None
                except (OSError, http.client.HTTPException, ValueError):
                    continue
                return _read(status, reply, time.perf_counter() - started)
        raise ModelError("local_model", "The llama.cpp process died twice while it answered this request.")

    def close(self) -> None:
        """Nothing is held."""

    def _wait_until_up(self) -> None:
        deadline = time.monotonic() + (0.0 if self._lost else _COMEBACK_S)
        while not self._client.is_up():
            if time.monotonic() >= deadline:
                self._lost = True
                raise ModelError(
                    "local_model",
                    "The llama.cpp process of this session has ended and did not come back. "
                    "Is there enough memory for the model?",
                )
            time.sleep(_POLL_S)
        self._lost = False


def _read(status: int, reply: Any, time_s: float) -> Completion:
    if status == 200:
        choice = reply["choices"][0]
        usage = reply["usage"]
        details = {"finish_reason": choice["finish_reason"]}
        if isinstance(build := reply.get("system_fingerprint"), str):
            details["system_fingerprint"] = build
        text = choice["message"].get("content") or ""
        if numbers := number_tokens(text, choice.get("logprobs")):
            details["numbers"] = numbers
        return Completion(
            text,
            tokens={"prompt": usage["prompt_tokens"], "completion": usage["completion_tokens"]},
            time_s=time_s,
            details=details,
        )
    error = reply.get("error", {}) if isinstance(reply, dict) else {}
    if error.get("type") == "exceed_context_size_error":
        reason = f"the prompt has {error.get('n_prompt_tokens')} tokens, the context {error.get('n_ctx')}"
        return Completion("", time_s=time_s, details={"no_answer": reason})
    raise ModelError(
        "bad_request", f"llama.cpp refused the request ({status}): {str(error.get('message'))[:500]}"
    )
