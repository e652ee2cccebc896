"""Asking a model outside of a session: a gateway of its own, and several tasks at a time."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from retrocypher.kg.errors import InputError, RetroCypherError
from retrocypher.kg.offline import refuse_network
from retrocypher.kg.server.control import session_folder
from retrocypher.prompts.models.cache_files import cache_file, prepare
from retrocypher.prompts.models.calls import GatewaySettings, Stop
from retrocypher.prompts.models.gateway import Gateway
from retrocypher.prompts.models.gateway_client import GatewayConnections
from retrocypher.prompts.models.open import contents_of, text_model
from retrocypher.prompts.models.prices import require_prices
from retrocypher.prompts.models.sides import with_any_key
from retrocypher.prompts.models.spec import ModelSpec

_WAITING = 2

T = TypeVar("T")
R = TypeVar("R")


def open_cache(cache: str | None, *, offline: bool) -> Path | None:
    """Return the file of the response cache, made if absent; None for none. Offline, refuse the network.

    Raises InputError if there is no cache offline, ResponseCacheError if it cannot be used.
    """
    file = cache_file(cache, offline=offline)
    if offline:
        refuse_network()
    if file is not None:
        prepare(file, read_only=offline)
    return file


def model_to_ask(
    model: str,
    option: str,
    *,
    concurrency: int,
    cache: str | None,
    offline: bool,
    max_cost: float | None = None,
) -> tuple[ModelSpec, GatewaySettings]:
    """Check which model an option names, open the cache, and return how the model is asked, with the seed 0.

    Raises InputError if model, price or cache cannot be used.
    """
    if not model.strip():
        raise InputError(f"{option} names no model; choose gguf:PATH, local, or one behind an API")
    environment = with_any_key(os.environ) if offline else dict(os.environ)
    spec = text_model(model, option, environment)
    if max_cost is not None:
        require_prices([spec])
    weights, file = contents_of([spec]), open_cache(cache, offline=offline)
    settings = GatewaySettings(concurrency, 0, environment, weights, file, offline=offline, max_cost=max_cost)
    return spec, settings


class RefusedError(RetroCypherError):
    """The API refused the key or the model before any completion."""

    exit_status = 4


class UnfinishedError(RetroCypherError):
    """The model could not be asked all that is needed; what it was asked is in the cache."""

    exit_status = 16


@dataclass(frozen=True, slots=True)
class ModelPool:
    """A gateway, and threads for tasks that ask it."""

    connections: GatewayConnections
    _concurrency: int
    _stops: Sequence[Stop]

    def run(self, work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Yield what the work makes of each task as it is done, in no order.

        Ended early, by Ctrl-C for instance, it waits for nobody: what was answered before is in the cache.

        Raises RefusedError, or UnfinishedError if the budget is spent, when the gateway makes no more calls.
        """
        remaining = iter(tasks)
        threads = ThreadPoolExecutor(self._concurrency)
        try:
            pending: set[Future[R]] = set()
            while True:
                more = islice(remaining, self._concurrency * _WAITING - len(pending))
                pending |= {threads.submit(work, task) for task in more}
                if not pending:
                    return
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    found = future.result()
                    if self._stops:
                        first = self._stops[0]
                        raise (RefusedError if first.reason == "refused" else UnfinishedError)(first.message)
                    yield found
        finally:
            threads.shutdown(wait=False, cancel_futures=True)


@contextmanager
def open_pool(spec: ModelSpec, settings: GatewaySettings) -> Iterator[ModelPool]:
    """Start a gateway for one model and stop it after the block; raise InputError if it cannot start."""
    folder, stops = session_folder(), list[Stop]()
    try:
        with Gateway([spec], settings, folder.path, stops.append) as gateway:
            yield ModelPool(GatewayConnections(gateway.address), settings.concurrency, stops)
    finally:
        folder.remove()
