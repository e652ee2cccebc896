"""The response cache of a gateway, in threads of its own, so that a slow disk holds up no event loop."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from retrocypher.prompts.models.interface import ModelError
from retrocypher.prompts.models.response_cache import (
    CacheEntry,
    ResponseCache,
    ResponseCacheError,
    open_cache,
)

_logger = logging.getLogger(__name__)

T = TypeVar("T")


class CacheThread:
    """A response cache, used in one thread.

    Where it fails in the course of a run, a warning says so once, and models are asked without it. Offline,
    it raises ModelError.
    """

    def __init__(self, path: Path, offline: bool) -> None:
        self._path = path
        self._offline = offline
        self._thread = ThreadPoolExecutor(1, "response-cache")
        self._files = ExitStack()
        self._cache: ResponseCache | None = None

    async def open(self) -> None:
        """Open the file; raise ResponseCacheError if that fails."""
        opening = open_cache(self._path, read_only=self._offline)
        self._cache = await self._on_thread(lambda: self._files.enter_context(opening))

    async def get(self, key: str) -> CacheEntry | None:
        """Return the entry of a key, or None."""
        return await self._call(lambda cache: cache.get(key))

    async def has(self, key: str) -> bool:
        """Return whether a key has an entry."""
        return bool(await self._call(lambda cache: cache.has(key)))

    async def put(self, entry: CacheEntry) -> CacheEntry | None:
        """Store an entry unless its key has one, and return the one that is stored; None where it fails."""
        return await self._call(lambda cache: cache.put(entry))

    async def close(self) -> None:
        """Close the file."""
        await self._on_thread(self._files.close)
        self._thread.shutdown(wait=False)

    async def _call(self, call: Callable[[ResponseCache], T]) -> T | None:
        cache = self._cache
        if cache is None:
            return None
        try:
            return await self._on_thread(lambda: call(cache))
        except ResponseCacheError as error:
            if self._offline:
                raise ModelError("not_cached", str(error)) from error
            if self._cache is not None:
                # Each call would wait for a file that is locked.
                self._cache = None
                _logger.warning(f"Completions are not cached in the rest of this session: {error}")
            return None

    async def _on_thread(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)
