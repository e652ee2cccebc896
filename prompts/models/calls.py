"""Completions in the gateway's event loop: each is made once, stored, and kept for the case that needs it."""

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from retrocypher.prompts.models.endpoint import CircuitBreaker, Endpoint, Ticket
from retrocypher.prompts.models.gateway_client import Asked, ModelChoice, Side
from retrocypher.prompts.models.interface import Completion, ModelError
from retrocypher.prompts.models.llama import CONTEXT_TOKENS, LlamaModel, answer_tokens, gguf_path
from retrocypher.prompts.models.openai_client import address_of, api_parameters, asked_for
from retrocypher.prompts.models.prices import load_prices
from retrocypher.prompts.models.response_cache import (
    CacheEntry,
    Identity,
    ResponseCache,
    ResponseCacheError,
    open_cache,
    request_key,
    stamp,
)

_logger = logging.getLogger(__name__)

T = TypeVar("T")

_OPEN_AGAIN_S = 1.0
MAXIMUM_WAITING_BYTES = 256 << 20
"""Completions that wait for their case take no more memory than this."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a run cannot go on: the API refused it before any completion, or the budget is spent."""

    reason: Literal["refused", "budget"]
    side: Side
    message: str


RequestAhead = tuple[ModelChoice, Callable[[], Asked]]
"""A model, and what makes the request when its turn comes."""


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """What a gateway works with.

    Attributes:
        concurrency: Most calls in flight at one API; llama.cpp takes one at a time.
        seed: Sent to the models that take one.
        environments: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL`` of each side.
        weights: SHA-256 of the models' files, by path (`contents_of`), to identify stored completions.
        cache: The file of the response cache; None to store nothing.
        offline: Whether models have only the completions in the cache.
        sampling: Parameters of the run's models: ``temperature``, ``top_p``, ``max_tokens`` and, for an API,
            any others; those that are not set are absent.
        requests_per_minute: Limit of each API; None for none, as for ``tokens_per_minute``.
        max_cost: Cost of the calls in USD from which none is made; None for no limit.
    """

    concurrency: int
    seed: int
    environments: Mapping[Side, Mapping[str, str]]
    weights: Mapping[str, str] = field(default_factory=dict)
    cache: Path | None = None
    offline: bool = False
    sampling: Mapping[str, Any] = field(default_factory=dict)
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    max_cost: float | None = None

    def sampling_of(self, choice: ModelChoice) -> Mapping[str, Any]:
        """Return the parameters of a model; a judge keeps its own."""
        if choice.side == "judge":
            return {}
        if choice.spec.kind == "openai":
            return self.sampling
        return {name: value for name, value in self.sampling.items() if name in _LOCAL_SAMPLING}


_LOCAL_SAMPLING = ("temperature", "top_p", "max_tokens")


def identity_of(choice: ModelChoice, settings: GatewaySettings) -> Identity:
    """Return the identity of a model in the response cache."""
    spec = choice.spec
    if spec.kind == "openai":
        return Identity(
            spec.argument, address_of(settings.environments[choice.side]), _parameters(choice, settings)
        )
    sampling = settings.sampling_of(choice)
    # Greedy decoding takes no seed, and another llama.cpp may round in other ways.
    parameters = {
        "temperature": 0,
        "max_tokens": answer_tokens(spec),
        **sampling,
        **({"seed": settings.seed} if sampling.get("temperature") else {}),
        "context_tokens": CONTEXT_TOKENS,
        "engine": f"xllamacpp {version('xllamacpp')}",
        **asked_for(choice.logprobs),
        **({"form": json.loads(choice.form)} if choice.form else {}),
    }
    return Identity(f"sha256:{settings.weights.get(str(gguf_path(spec)), '')}", "", parameters)


def _parameters(choice: ModelChoice, settings: GatewaySettings) -> dict[str, Any]:
    """Return what is sent to an API besides model and messages."""
    return api_parameters(settings.seed, settings.sampling_of(choice)) | asked_for(choice.logprobs)


class _Completer(Protocol):
    async def complete(self, asked: Asked, ticket: Ticket) -> Completion: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Model:
    """A model as the gateway asks it."""

    identity: Identity
    endpoint: Endpoint
    breaker: CircuitBreaker
    completer: _Completer


@dataclass(slots=True)
class _Flight:
    """A completion under way, or one that waits for its case."""

    ticket: Ticket
    task: "asyncio.Task[Completion]"
    asked_for: bool = False
    """Whether somebody waits for it or has taken it; else it was only requested ahead."""
    size: int = 0


class Calls:
    """Makes completions; all methods are called in one event loop."""

    def __init__(
        self,
        settings: GatewaySettings,
        llama: Mapping[str, str],
        llama_key: str,
        end_run: Callable[[Stop], None],
    ) -> None:
        self._settings = settings
        self._end_run = end_run
        self._spent = 0.0
        self._llama = llama
        self._llama_key = llama_key
        self._cache = _Cache(settings.cache, settings.offline) if settings.cache else None
        self._models: dict[ModelChoice, _Model] = {}
        self._breakers: dict[str, CircuitBreaker] = {}
        self._flights: dict[str, _Flight] = {}
        self._asked: set[str] = set()
        self._ahead: list[asyncio.Task[None]] = []
        self._room = asyncio.Event()
        self._waiting_bytes = 0
        self.endpoints: dict[str, Endpoint] = {}

    async def open(self) -> None:
        """Open the response cache; raise ResponseCacheError if it cannot be opened."""
        if self._cache is not None:
            await self._cache.open()

    async def complete(self, asked: Asked) -> Completion:
        """Return the completion of a request; raise ModelError if the model cannot be asked."""
        model = self._model(asked.model)
        name, key = self._names(asked, model)
        flight = self._flights.get(name)
        if flight is None:
            flight = self._flights[name] = self._start(asked, model, key)
        self._asked.add(name)
        is_first, flight.asked_for, flight.ticket.urgent = not flight.asked_for, True, True
        try:
            completion = await asyncio.shield(flight.task)
        finally:
            if flight.task.done() and self._flights.get(name) is flight:
                self._forget(name)
        # What several ask for at once is paid for once.
        return completion if is_first else replace(completion, cached=True, cost=None)

    def request_ahead(self, requests: Iterable[RequestAhead]) -> None:
        """Request completions, those of each model in this order, as its endpoint has places for calls."""
        by_model: dict[ModelChoice, list[Callable[[], Asked]]] = {}
        for choice, make in requests:
            by_model.setdefault(choice, []).append(make)
        self._ahead += [asyncio.ensure_future(self._request_all(*each)) for each in by_model.items()]

    def stop_ahead(self) -> None:
        """Request nothing more ahead."""
        for task in self._ahead:
            task.cancel()

    async def land(self, seconds: float) -> None:
        """Request nothing more, and let calls in flight end and be stored, for some seconds at most."""
        self.stop_ahead()
        flying = []
        for flight in self._flights.values():
            if flight.ticket.admitted.done():
                flying.append(flight.task)
            else:
                flight.task.cancel()
        if flying:
            await asyncio.wait(flying, timeout=seconds)

    async def close(self) -> None:
        """Close what is open; no call is under way any more."""
        for model in self._models.values():
            await model.completer.close()
        if self._cache is not None:
            await self._cache.close()

    async def _request_all(self, choice: ModelChoice, requests: list[Callable[[], Asked]]) -> None:
        model = self._model(choice)
        for make in requests:
            while model.breaker.is_open and not model.breaker.is_final:
                await asyncio.sleep(_OPEN_AGAIN_S)
            if model.breaker.is_final:
                return
            asked = make()
            name, key = self._names(asked, model)
            if self._is_known(name) or (self._cache is not None and await self._cache.has(key)):
                continue
            while self._waiting_bytes > MAXIMUM_WAITING_BYTES:
                self._room.clear()
                await self._room.wait()
            if not self._is_known(name):
                flight = self._flights[name] = self._start(asked, model, key)
                # The next request is made when this one has its place, so that few wait before others.
                await asyncio.wait({flight.task, flight.ticket.admitted}, return_when=asyncio.FIRST_COMPLETED)

    def _is_known(self, name: str) -> bool:
        # A case that came before its turn has asked for itself, perhaps in vain.
        return name in self._flights or name in self._asked

    def _names(self, asked: Asked, model: _Model) -> tuple[str, str]:
        """Return the name of a request among those under way, and its key in the cache."""
        identity = model.identity.of_repeat(asked.case_repeat)
        key = request_key(identity, asked.messages, asked.repeat, asked.case_repeat)
        # Without a cache each case asks for itself.
        return (key if self._cache is not None else f"{key} {asked.case_id}"), key

    def _start(self, asked: Asked, model: _Model, key: str) -> _Flight:
        ticket = Ticket(urgent=False)
        task = asyncio.ensure_future(self._make(asked, model, key, ticket))
        flight = _Flight(ticket, task)
        task.add_done_callback(lambda done: self._landed(flight, done))
        return flight

    def _landed(self, flight: _Flight, done: "asyncio.Task[Completion]") -> None:
        # Looking at the exception keeps asyncio from reporting one that no case asks for.
        if not done.cancelled() and done.exception() is None and not flight.asked_for:
            flight.size = len(done.result().text.encode("utf-8", "surrogatepass")) + 1_000
            self._waiting_bytes += flight.size

    def _forget(self, name: str) -> None:
        self._waiting_bytes -= self._flights.pop(name).size
        self._room.set()

    async def _make(self, asked: Asked, model: _Model, key: str, ticket: Ticket) -> Completion:
        if self._cache is None:
            return await self._call(asked, model, ticket)
        if (kept := await self._cache.get(key)) is not None:
            return _completion(kept)
        completion = await self._call(asked, model, ticket)
        entry = _entry(key, model.identity.of_repeat(asked.case_repeat), completion)
        first = await self._cache.put(entry)
        # Another session may have asked the same at the same time. What was kept first holds for all, so
        # that a repetition of the run finds what the run went on with.
        return (
            completion if first is None else replace(_completion(first), cached=False, cost=completion.cost)
        )

    async def _call(self, asked: Asked, model: _Model, ticket: Ticket) -> Completion:
        try:
            completion = await model.completer.complete(asked, ticket)
        except ModelError as error:
            # The first real request shows whether the key and the model are right.
            if error.kind in ("authentication", "unknown_model") and not model.breaker.has_completed:
                self._end(Stop("refused", asked.model.side, f"{asked.model.spec.label}: {error}"))
            raise
        self._spent += completion.cost or 0.0
        if self._settings.max_cost is not None and asked.model.spec.kind == "openai":
            self._require_cost(completion)
        return completion

    def _require_cost(self, completion: Completion) -> None:
        """End the run if the cost of a call cannot be told."""
        if completion.cost is None and "no_answer" not in completion.details:
            message = (
                "The API reports no tokens, so its calls have no known cost and --max-cost cannot be kept. "
                "Repeat the command without --max-cost."
            )
            self._end(Stop("budget", "run", message))

    def _require_budget(self) -> None:
        limit = self._settings.max_cost
        if limit is not None and self._spent >= limit:
            message = (
                f"Not asked: the calls of this session cost {self._spent:.6g} USD at list prices, and "
                f"--max-cost is {limit:g}. Repeat the command to resume with the same budget again."
            )
            self._end(Stop("budget", "run", message))
            raise ModelError("budget", message)

    def _end(self, stop: Stop) -> None:
        self.stop_ahead()
        self._end_run(stop)

    def _model(self, choice: ModelChoice) -> _Model:
        if choice not in self._models:
            self._models[choice] = self._opened(choice)
        return self._models[choice]

    def _opened(self, choice: ModelChoice) -> _Model:
        spec, settings = choice.spec, self._settings
        identity = identity_of(choice, settings)
        if settings.offline:
            return _Model(identity, Endpoint(1), CircuitBreaker(), _Offline(settings.cache))
        if spec.kind != "openai":
            path = str(gguf_path(spec))
            endpoint = self.endpoints.setdefault(path, Endpoint(1))
            model = LlamaModel(
                self._llama.get(path, ""),
                self._llama_key,
                seed=settings.seed,
                sampling={"max_tokens": answer_tokens(spec), **settings.sampling_of(choice)},
                logprobs=choice.logprobs,
                form=json.loads(choice.form) if choice.form else None,
            )
            return _Model(identity, endpoint, CircuitBreaker(), _OnThread(model, endpoint))
        # Its library takes a second to import, which runs without an API model should not pay.
        from retrocypher.prompts.models.openai import OpenAIModel

        environment = settings.environments[choice.side]
        address = address_of(environment)
        limits = settings.concurrency, settings.requests_per_minute, settings.tokens_per_minute
        endpoint = self.endpoints.setdefault(address, Endpoint(*limits))
        # One of the same name elsewhere is another.
        breaker = self._breakers.setdefault(f"{spec.argument} {address}", CircuitBreaker())
        api = OpenAIModel(
            spec.argument,
            environment=environment,
            endpoint=endpoint,
            breaker=breaker,
            parameters=_parameters(choice, settings),
            price=load_prices().of(spec.argument),
            allow=self._require_budget,
        )
        return _Model(identity, endpoint, breaker, api)


@dataclass(frozen=True, slots=True)
class _Offline:
    """Asks no model: it has what is in the cache and nothing else."""

    cache: Path | None

    async def complete(self, asked: Asked, ticket: Ticket) -> Completion:
        again = f", asked {asked.repeat + 1} times" if asked.repeat else ""
        raise ModelError(
            "not_cached",
            f"{asked.case_id or 'a request'}: the response cache {self.cache} has no completion of "
            f"{asked.model.spec.label} for this request{again}, and --offline asks no model. Run the case "
            "once without --offline, or import an export that has it with `retrocypher cache import`.",
        )

    async def close(self) -> None:
        """Nothing is held."""


class _OnThread:
    """Asks llama.cpp, one request at a time, in a thread."""

    def __init__(self, model: LlamaModel, endpoint: Endpoint) -> None:
        self._model = model
        self._endpoint = endpoint

    async def complete(self, asked: Asked, ticket: Ticket) -> Completion:
        async with self._endpoint.call(ticket):
            more = asked.common, asked.case_repeat
            return await asyncio.to_thread(self._model.complete, asked.messages, *more)

    async def close(self) -> None:
        self._model.close()


class _Cache:
    """The response cache in threads of its own, so that a slow disk holds up no call.

    One thread reads and one writes: a write that waits for the disk, or for another program, keeps no read
    waiting. Where the cache fails in the course of a run, models are asked, and a warning says once that
    their completions are not stored. Offline, it raises ModelError.
    """

    def __init__(self, path: Path, offline: bool) -> None:
        self._path = path
        self._offline = offline
        self._reader, self._writer = (ThreadPoolExecutor(1, "response-cache") for _ in range(2))
        self._caches: dict[ThreadPoolExecutor, ResponseCache] = {}
        self._files = {self._reader: ExitStack(), self._writer: ExitStack()}
        self._warned = False

    async def open(self) -> None:
        """Open the file; raise ResponseCacheError if that fails."""
        for thread, files in self._files.items():
            self._caches[thread] = await _on(thread, partial(self._opened, files))

    async def get(self, key: str) -> CacheEntry | None:
        """Return the entry of a key, or None."""
        return await self._call(self._reader, lambda cache: cache.get(key))

    async def has(self, key: str) -> bool:
        """Return whether a key has an entry."""
        return bool(await self._call(self._reader, lambda cache: cache.has(key)))

    async def put(self, entry: CacheEntry) -> CacheEntry | None:
        """Store an entry unless its key has one, and return the one that is stored; None where it fails."""
        return await self._call(self._writer, lambda cache: cache.put(entry))

    async def close(self) -> None:
        """Close the file."""
        for thread, files in self._files.items():
            await _on(thread, files.close)
            thread.shutdown(wait=False)

    def _opened(self, files: ExitStack) -> ResponseCache:
        return files.enter_context(open_cache(self._path, read_only=self._offline))

    async def _call(self, thread: ThreadPoolExecutor, call: Callable[[ResponseCache], T]) -> T | None:
        try:
            return await _on(thread, partial(call, self._caches[thread]))
        except ResponseCacheError as error:
            if self._offline:
                raise ModelError("not_cached", str(error)) from error
            if not self._warned:
                self._warned = True
                _logger.warning(f"Completions are not cached in this run: {error}")
            return None


async def _on(thread: ThreadPoolExecutor, call: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(thread, call)


def _entry(key: str, identity: Identity, completion: Completion) -> CacheEntry:
    served = completion.details.get("model")
    return CacheEntry(
        key=key,
        model=identity.model,
        api=identity.api,
        parameters=identity.parameters,
        served=served if isinstance(served, str) else None,
        made=stamp(datetime.now(UTC)),
        text=completion.text,
        tokens=completion.tokens,
        time_s=completion.time_s,
        details=completion.details,
    )


def _completion(kept: CacheEntry) -> Completion:
    return Completion(
        kept.text, tokens=kept.tokens, time_s=kept.time_s, details=dict(kept.details), cached=True
    )
