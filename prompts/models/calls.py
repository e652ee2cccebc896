"""Completions in the gateway's event loop: each is made once, stored, and kept for the case that needs it."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Protocol

from retrocypher.prompts.models.cache_thread import CacheThread
from retrocypher.prompts.models.endpoint import CircuitBreaker, Endpoint, Ticket
from retrocypher.prompts.models.gateway_client import Asked, ModelChoice
from retrocypher.prompts.models.interface import Completion, ModelError
from retrocypher.prompts.models.llama import CONTEXT_TOKENS, LlamaModel, answer_tokens, gguf_path
from retrocypher.prompts.models.openai_client import address_of, api_parameters, asked_for
from retrocypher.prompts.models.prices import load_prices
from retrocypher.prompts.models.response_cache import CacheEntry, Identity, request_key, stamp
from retrocypher.prompts.models.sides import environment_of

MAXIMUM_WAITING_BYTES = 256 << 20
"""Completions that wait for their case take no more memory than this."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a run cannot go on: the API refused it before any completion, or the budget is spent."""

    reason: Literal["refused", "budget"]
    message: str


RequestAhead = tuple[ModelChoice, Callable[[], Asked]]
"""A model, and what makes the request when its turn comes."""


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """What a gateway works with.

    Attributes:
        concurrency: Most calls in flight at one API; llama.cpp takes one at a time.
        seed: Sent to the models that take one.
        environment: ``OPENAI_API_KEY`` and ``OPENAI_BASE_URL``, and those of the judge.
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
    environment: Mapping[str, str]
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
            spec.argument,
            address_of(environment_of(choice.side, settings.environment)),
            _parameters(choice, settings),
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


class _Client(Protocol):
    """Makes the calls of a model."""

    async def complete(self, asked: Asked, ticket: Ticket) -> Completion: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class _Model:
    """A model as the gateway asks it."""

    client: _Client
    endpoint: Endpoint
    breaker: CircuitBreaker


@dataclass(frozen=True, slots=True)
class _Request:
    """A request as the response cache knows it."""

    key: str
    identity: Identity


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
        self._has_completed = self._has_ended = False
        self._llama = llama
        self._llama_key = llama_key
        # A write that waits for the disk, or for another program, keeps no read waiting.
        self._reader, self._writer = (
            CacheThread(settings.cache, settings.offline) if settings.cache else None for _ in range(2)
        )
        self._identities: dict[ModelChoice, Identity] = {}
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
        for cache in (self._reader, self._writer):
            if cache is not None:
                await cache.open()

    async def complete(self, asked: Asked) -> Completion:
        """Return the completion of a request; raise ModelError if the model cannot be asked."""
        name, request = self._named(asked)
        flight = self._flights.get(name)
        if flight is None:
            flight = self._flights[name] = self._start(asked, request)
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
        """Begin no more calls, and let those in flight end and be stored, for some seconds at most."""
        self.stop_ahead()
        self._has_ended = True
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
            await model.client.close()
        for cache in (self._reader, self._writer):
            if cache is not None:
                await cache.close()

    async def _request_all(self, choice: ModelChoice, requests: list[Callable[[], Asked]]) -> None:
        breaker = self._model(choice).breaker
        for make in requests:
            if breaker.is_open:
                return
            asked = make()
            name, request = self._named(asked)
            if self._is_known(name) or (self._reader is not None and await self._reader.has(request.key)):
                continue
            while self._waiting_bytes > MAXIMUM_WAITING_BYTES:
                self._room.clear()
                await self._room.wait()
            if not self._is_known(name):
                flight = self._flights[name] = self._start(asked, request)
                # The next request is made when this one has its place, so that few wait before others.
                await asyncio.wait({flight.task, flight.ticket.admitted}, return_when=asyncio.FIRST_COMPLETED)

    def _is_known(self, name: str) -> bool:
        # A case that came before its turn has asked for itself, perhaps in vain.
        return name in self._flights or name in self._asked

    def _named(self, asked: Asked) -> tuple[str, _Request]:
        """Return the name of a request among those under way, and what it is in the cache."""
        if asked.model not in self._identities:
            self._identities[asked.model] = identity_of(asked.model, self._settings)
        identity = self._identities[asked.model].of_repeat(asked.case_repeat)
        key = request_key(identity, asked.messages, asked.repeat, asked.case_repeat)
        # Without a cache each case asks for itself.
        return (key if self._reader is not None else f"{key} {asked.case_id}"), _Request(key, identity)

    def _start(self, asked: Asked, request: _Request) -> _Flight:
        ticket = Ticket(urgent=False, characters=sum(len(each["content"]) for each in asked.messages))
        task = asyncio.ensure_future(self._make(asked, request, ticket))
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

    async def _make(self, asked: Asked, request: _Request, ticket: Ticket) -> Completion:
        if self._reader is not None and (kept := await self._reader.get(request.key)) is not None:
            return _completion(kept)
        if self._settings.offline:
            raise _not_cached(asked, self._settings.cache)
        model = self._model(asked.model)
        model.breaker.check()
        async with model.endpoint.call(ticket):
            completion = await self._call(asked, model, ticket)
            # With its place, so that no more completions than places are lost with the process.
            first = await self._writer.put(_entry(request, completion)) if self._writer is not None else None
        # Another session may have asked the same at the same time. What was kept first holds for all, so
        # that a repetition of the run finds what the run went on with.
        return (
            completion if first is None else replace(_completion(first), cached=False, cost=completion.cost)
        )

    async def _call(self, asked: Asked, model: _Model, ticket: Ticket) -> Completion:
        if self._has_ended:
            raise ModelError("gateway", "Not asked: the session ends. Repeat the command to resume it.")
        self._require_budget()
        try:
            completion = await model.client.complete(asked, ticket)
        except ModelError as error:
            # The first real request shows whether the key and the model are right.
            if error.kind in ("authentication", "unknown_model") and not self._has_completed:
                self._end(Stop("refused", f"{asked.model.spec.label}: {error}"))
            raise
        self._has_completed = True
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
            self._end(Stop("budget", message))

    def _require_budget(self) -> None:
        limit = self._settings.max_cost
        if limit is not None and self._spent >= limit:
            message = (
                f"Not asked: the calls of this session cost {self._spent:.6g} USD at list prices, and "
                f"--max-cost is {limit:g}. Repeat the command to resume with the same budget again."
            )
            self._end(Stop("budget", message))
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
        if spec.kind != "openai":
            path = str(gguf_path(spec))
            model = LlamaModel(
                self._llama.get(path, ""),
                self._llama_key,
                seed=settings.seed,
                sampling={"max_tokens": answer_tokens(spec), **settings.sampling_of(choice)},
                logprobs=choice.logprobs,
                form=json.loads(choice.form) if choice.form else None,
            )
            return _Model(model, self.endpoints.setdefault(path, Endpoint(1)), CircuitBreaker())
        # Its library takes a second to import, which runs without an API model should not pay.
        from retrocypher.prompts.models.openai import OpenAIModel

        environment = environment_of(choice.side, settings.environment)
        address = address_of(environment)
        limits = settings.concurrency, settings.requests_per_minute, settings.tokens_per_minute
        endpoint = self.endpoints.setdefault(address, Endpoint(*limits))
        # One of the same name elsewhere is another.
        breaker = self._breakers.setdefault(f"{spec.argument} {address}", CircuitBreaker())
        api = OpenAIModel(
            spec.argument,
            environment=environment,
            side=choice.side,
            endpoint=endpoint,
            breaker=breaker,
            parameters=_parameters(choice, settings),
            price=load_prices().of(spec.argument),
        )
        return _Model(api, endpoint, breaker)


def _not_cached(asked: Asked, cache: Path | None) -> ModelError:
    again = f", asked {asked.repeat + 1} times" if asked.repeat else ""
    return ModelError(
        "not_cached",
        f"{asked.case_id or 'a request'}: the response cache {cache} has no completion of "
        f"{asked.model.spec.label} for this request{again}, and --offline asks no model. Run the case "
        "once without --offline, or import an export that has it with `retrocypher cache import`.",
    )


def _entry(request: _Request, completion: Completion) -> CacheEntry:
    served, identity = completion.details.get("model"), request.identity
    return CacheEntry(
        key=request.key,
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
