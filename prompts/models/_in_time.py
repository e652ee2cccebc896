"""Ends what may never end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


async def in_time(call: Callable[[], Awaitable[T]], timeout_s: float) -> T:
    """Return what a call returns.

    The call is a task of its own, and is not waited for once it is cancelled: a library that swallows a
    cancellation would else hold back the end of time, and Ctrl-C, for as long as it likes.

    Args:
        call: What to call.
        timeout_s: Longest wait, in seconds.

    Raises:
        TimeoutError: If the call has not ended in time.
    """
    task = asyncio.ensure_future(call())
    try:
        await asyncio.wait({task}, timeout=timeout_s)
    finally:
        over = task.done()
        task.cancel()
    if not over:
        raise TimeoutError
    return task.result()
