"""Calls of an OpenAI-compatible API, each ended in time whatever the API sends."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import openai

from prompts.models._in_time import in_time
from prompts.models._reach import DEFAULT_ADDRESS, apart

T = TypeVar("T")


class OpenAIClient:
    """Asks once for each call. Serves one thread at a time.

    A call is a task of a loop of its own, so that it can be ended at any moment: a limit on each read would
    bear with an API that sends a byte now and then for ever.

    Args:
        environment: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``.
        timeout_s: Longest call, from the first byte sent to the last one received, in seconds.
        connect_s: Longest wait for a connection, in seconds.
    """

    def __init__(self, environment: Mapping[str, str], *, timeout_s: float, connect_s: float) -> None:
        self._timeout_s = timeout_s
        self._runner = asyncio.Runner()
        address, credentials = apart(environment.get("OPENAI_BASE_URL") or DEFAULT_ADDRESS)
        self._client = openai.AsyncOpenAI(
            api_key=environment.get("OPENAI_API_KEY", ""),
            base_url=address,
            # Not in the address, which is logged with each request.
            http_client=openai.DefaultAsyncHttpxClient(auth=credentials) if credentials else None,
            timeout=openai.Timeout(timeout_s, connect=min(connect_s, timeout_s)),
            max_retries=0,
        )

    def complete(self, **request: Any) -> Any:
        """Return a chat completion.

        Raises:
            openai.OpenAIError: If the API refuses the request or cannot be reached.
            TimeoutError: If the call has not ended in time.
        """
        return self._in_time(lambda: self._client.chat.completions.create(**request))

    def list_models(self) -> None:
        """Ask for the names of the API's models; raises as `complete`."""
        self._in_time(lambda: self._client.get("/models", cast_to=object))

    def close(self) -> None:
        """Close the connections."""
        self._runner.run(self._client.close())
        self._runner.close()

    def _in_time(self, call: Callable[[], Awaitable[T]]) -> T:
        return self._runner.run(in_time(call, self._timeout_s))
