"""The gateway: one event loop in the controller's process calls all models of a session.

Workers, loops, the judge and writers of answers ask it over a socket in an owner-only folder. They know
nothing of clients, keys or concurrency.
"""

import asyncio
import hmac
import json
import logging
import secrets
import threading
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.calls import Calls, GatewaySettings, RequestAhead, Stop
from retrocypher.prompts.models.endpoint import Endpoint
from retrocypher.prompts.models.gateway_client import (
    HEAD_BYTES,
    Asked,
    GatewayAddress,
    encoded,
    frame_length,
)
from retrocypher.prompts.models.interface import ModelError
from retrocypher.prompts.models.llama import LlamaProcess, gguf_path, settings_for
from retrocypher.prompts.models.spec import ModelSpec

_logger = logging.getLogger(__name__)

_CANCEL_S = 1.0
_CLOSE_S = 3.0

T = TypeVar("T")


class Gateway:
    """Calls the models of a session, in a thread of its own; a context manager.

    Args:
        specs: The models; llama.cpp is started for those of this machine, not offline.
        folder: An owner-only folder for the socket.
        end_run: Called in the gateway's thread, perhaps several times, when the run cannot go on.

    Raises InputError if llama.cpp cannot load a file or the cache cannot be opened; nothing is left running
    then.
    """

    def __init__(
        self,
        specs: Iterable[ModelSpec],
        settings: GatewaySettings,
        folder: Path,
        end_run: Callable[[Stop], None] = lambda _: None,
    ) -> None:
        self.address = GatewayAddress(str(folder / "models.sock"), secrets.token_urlsafe(32))
        self._processes: dict[str, LlamaProcess] = {}
        self._calls: Calls | None = None
        self._server: asyncio.Server | None = None
        self._landing: Future[None] | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="gateway", daemon=True)
        self._thread.start()
        try:
            key = secrets.token_urlsafe(32)
            for spec in () if settings.offline else specs:
                if spec.kind in ("local", "gguf") and (path := str(gguf_path(spec))) not in self._processes:
                    _logger.info(
                        f"Starting llama.cpp with {spec.label}. On a CPU, a completion takes 10 s to minutes."
                    )
                    self._processes[path] = LlamaProcess(settings_for(spec, key))
            llama = {path: process.address for path, process in self._processes.items()}
            self._calls = Calls(settings, llama, key, end_run)
            self._run(self._listen(self._calls))
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "Gateway":
        """Return itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End it."""
        self.close()

    @property
    def in_flight(self) -> int:
        """Calls in flight now."""
        return sum(each.in_flight for each in self._endpoints())

    @property
    def is_throttled(self) -> bool:
        """Whether an API limits the rate now."""
        return any(each.is_throttled for each in self._endpoints())

    def request_ahead(self, requests: Iterable[RequestAhead]) -> None:
        """Request completions in this order, as far as there are places for calls; returns at once."""
        if self._calls is not None:
            self._loop.call_soon_threadsafe(self._calls.request_ahead, list(requests))

    def stop_ahead(self) -> None:
        """Request nothing more ahead."""
        if self._calls is not None:
            self._loop.call_soon_threadsafe(self._calls.stop_ahead)

    def end_calls(self, seconds: float) -> None:
        """Begin no more calls, and give those in flight some seconds to end; returns at once."""
        if self._calls is not None:
            self._landing = asyncio.run_coroutine_threadsafe(self._calls.land(seconds), self._loop)

    def close(self) -> None:
        """End all calls, after the seconds of `end_calls`, and llama.cpp; may be called again."""
        if self._loop.is_closed():
            return
        if self._landing is not None:
            self._landing.result()
        while self._processes:
            self._processes.popitem()[1].stop()
        with suppress(TimeoutError):
            self._run(self._end(), _CLOSE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSE_S)
        if not self._thread.is_alive():
            self._loop.close()

    def _endpoints(self) -> list[Endpoint]:
        return list(self._calls.endpoints.values()) if self._calls else []

    async def _listen(self, calls: Calls) -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            # A worker that ended asks no more; a stranger that knows no token asks nothing. Cancelled, the
            # gateway ends.
            ended = (OSError, asyncio.IncompleteReadError, ValueError, asyncio.CancelledError)
            with closing(writer), suppress(*ended):
                token = await _receive(reader)
                if isinstance(token, str) and hmac.compare_digest(
                    token.encode(), self.address.token.encode()
                ):
                    while True:
                        writer.write(await _reply(calls, await _receive(reader)))
                        await writer.drain()

        await calls.open()
        try:
            self._server = await asyncio.start_unix_server(serve, self.address.path)
        except OSError as error:
            raise InputError(
                f"workers cannot reach models by {self.address.path} ({error}). Set TMPDIR to a folder on "
                "this machine with a short path."
            ) from error

    async def _end(self) -> None:
        if self._server is not None:
            self._server.close()
        # Connections too, so that nobody waits for a reply that never comes.
        if tasks := asyncio.all_tasks() - {asyncio.current_task()}:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=_CANCEL_S)
        if self._calls is not None:
            await self._calls.close()

    def _run(self, coroutine: Coroutine[Any, Any, T], timeout_s: float | None = None) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(timeout_s)


async def _receive(reader: asyncio.StreamReader) -> Any:
    length = frame_length(await reader.readexactly(HEAD_BYTES))
    return json.loads(await reader.readexactly(length))


async def _reply(calls: Calls, message: Any) -> bytes:
    try:
        return encoded({"completion": await calls.complete(msgspec.convert(message, Asked))})
    except ModelError as error:
        return encoded({"error": {"kind": error.kind, "message": str(error)}})
    except Exception as error:
        # A fault of ours makes one case an infrastructure error, and not all that come after it.
        _logger.exception("The gateway failed over a request")
        return encoded({"error": {"kind": "gateway", "message": f"The gateway failed: {error!r}"}})
