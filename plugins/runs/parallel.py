"""Works on the parts of a run in several processes."""

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Any, TypeVar

from retrocypher.kg.errors import RetroCypherError

_Job = TypeVar("_Job", bound=Hashable)
_Part = TypeVar("_Part")
_Done = TypeVar("_Done")


def in_processes(
    prepare: Callable[[_Job], Callable[[_Part], _Done]],
    job: _Job,
    parts: Sequence[_Part],
    workers: int,
    lost: str,
) -> Iterator[_Done]:
    """Do parts, and yield the results in their order; raise RetroCypherError if a process is lost.

    Args:
        prepare: Called with the job once in each process, for what does its parts. It belongs to a module, so
            that a new process finds it.
        workers: How many processes; with one worker or part, all is done in this process.
        lost: The message for a lost process.
    """
    count = min(workers, len(parts))
    if count <= 1:
        yield from map(prepare(job), parts)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=spare_collections)
    try:
        with _interrupts_held():
            done = pool.map(partial(_do, prepare, job), parts)
        yield from done
    except BrokenProcessPool as error:
        raise RetroCypherError(lost) from error
    finally:
        pool.shutdown(cancel_futures=True)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _do(prepare: Callable[[Any], Callable[[_Part], _Done]], job: Hashable, part: _Part) -> _Done:
    done: _Done = _prepared(prepare, job)(part)
    return done


@lru_cache(maxsize=1)
def _prepared(prepare: Callable[[Any], Callable[[Any], Any]], job: Hashable) -> Callable[[Any], Any]:
    return prepare(job)


def spare_collections() -> None:
    """Look for cycles of objects less often: records have none, and looking takes a third of reading them."""
    gc.set_threshold(100_000, 20, 100)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let processes that start now be deaf to Ctrl-C, which reaches all of a terminal: this one ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
