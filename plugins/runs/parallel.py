"""The records of a run in parts, each for a process to read by itself."""

import gc
import multiprocessing
import os
import signal
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from retrocypher.kg.errors import RetroCypherError
from retrocypher.plugins.runs.files import RECORDS
from retrocypher.plugins.runs.log import record_of_line

_BYTES = 1_000_000
_LINES = 250


class Chunk(NamedTuple):
    """Some lines of the records.

    Attributes:
        first: Number of its first line, from 1.
        offset: Where it begins, in bytes.
        size: Its bytes.
        lines: Its lines.
    """

    first: int
    offset: int
    size: int
    lines: int


def chunks_of(run: Path) -> Iterator[Chunk]:
    """Yield the parts of the records of a run, in order; they are not looked into."""
    first, offset, size, lines = 1, 0, 0, 0
    with (run / RECORDS).open("rb") as file:
        for line in file:
            size, lines = size + len(line), lines + 1
            if size >= _BYTES or lines >= _LINES:
                yield Chunk(first, offset, size, lines)
                first, offset, size, lines = first + lines, offset + size, 0, 0
    if lines:
        yield Chunk(first, offset, size, lines)


def records_of(run: Path, chunk: Chunk) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """Yield number, line and record of each line of a part.

    The last line of a run that was killed may be half a record: that is none.

    Raises:
        InputError: If a line is not a record.
    """
    with (run / RECORDS).open("rb") as file:
        file.seek(chunk.offset)
        for number in range(chunk.first, chunk.first + chunk.lines):
            line = file.readline()
            record = record_of_line(run, number, line)
            if record is None:
                return
            yield number, line, record


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
    """Do parts, and yield what came of them in their order.

    Args:
        prepare: Makes of a job what does its parts, once in each process. A class or function of a module, so
            that a new process finds it.
        job: What is the same for all parts, as plain values.
        parts: The parts.
        workers: How many processes; with one, and of one part, all is done in this process.
        lost: What is said where a process is lost.

    Raises:
        RetroCypherError: A process is lost, or as the work raises.
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
