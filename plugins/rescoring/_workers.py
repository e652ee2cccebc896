"""The processes that score a run again."""

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial

from kg.errors import RetroCypherError
from plugins.rescoring._chunks import Chunk
from plugins.rescoring._work import Done, Job, work

_FEW = 400
"""As many records are done while a process starts."""


def scored_in_parts(job: Job, chunks: Sequence[Chunk], workers: int | None) -> Iterator[Done]:
    """Score the parts of a run again, and yield what came of them in their order.

    Args:
        job: How.
        chunks: The parts.
        workers: How many processes; None for as many as there are cores. One part, and few records, are done
            in this process.

    Raises:
        RetroCypherError: A process is lost, or as `work` raises.
    """
    count = min(workers or _cores(), len(chunks))
    if count <= 1 or sum(chunk.lines for chunk in chunks) <= _FEW:
        yield from map(partial(work, job), chunks)
        return
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context)
    try:
        yield from pool.map(partial(work, job), chunks)
    except BrokenProcessPool as error:
        raise RetroCypherError(
            f"{job.run}: a process that scored its records was ended, perhaps for want of memory; "
            "nothing was written. Run again with --workers 1."
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
