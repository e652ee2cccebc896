"""The processes that run candidates against the server."""

import multiprocessing
import queue
from collections.abc import Iterator, Sequence
from multiprocessing.queues import Queue
from pathlib import Path
from typing import TypeAlias

from kg.errors import GraphError, RetroCypherError
from kg.execution import GuardedExecutor, Limits
from kg.questions import Question
from kg.server import Endpoint, session_folder
from plugins.bank._candidates import candidates
from plugins.bank._check import Checked, check
from plugins.bank._plan import Cell

LIMITS = Limits(timeout_s=10.0, row_cap=2_000, byte_cap=2 * 1024 * 1024)
"""A reference query takes milliseconds and has at most 120 rows: what goes beyond this is wrong.

Not shorter: on a busy machine a server that has just started may plan a harmless query for some seconds.
"""

_Todo: TypeAlias = "Queue[Cell | None]"
_Done: TypeAlias = "Queue[Checked | RetroCypherError]"
_POLL_S = 1.0


def check_all(
    cells: Sequence[Cell], questions: Sequence[Question], endpoint: Endpoint, seed: int, workers: int
) -> Iterator[Checked]:
    """Check cells in several processes; yields them as they are done.

    Args:
        cells: The cells; what comes of one does not depend on which process takes it, or when.
        questions: The questions of all tasks.
        endpoint: The server.
        seed: Seed of the candidates.
        workers: How many processes.

    Raises:
        GraphError: The server or a process is lost.
    """
    context = multiprocessing.get_context("spawn")
    todo: _Todo = context.Queue()
    done: _Done = context.Queue()
    for cell in cells:
        todo.put(cell)
    for _ in range(workers):
        todo.put(None)
    folder = session_folder()
    arguments = (todo, done, questions, endpoint, folder.path, seed)
    processes = [context.Process(target=_work, args=arguments, daemon=True) for _ in range(workers)]
    try:
        for process in processes:
            process.start()
        for _ in cells:
            checked = _next(done, processes)
            if isinstance(checked, RetroCypherError):
                raise GraphError(str(checked))
            yield checked
    finally:
        for process in processes:
            process.terminate()
            process.join()
        folder.remove()


def _next(
    done: _Done, processes: Sequence[multiprocessing.process.BaseProcess]
) -> Checked | RetroCypherError:
    while True:
        try:
            return done.get(timeout=_POLL_S)
        except queue.Empty:
            if any(process.exitcode not in (None, 0) for process in processes):
                raise GraphError("A process that checks mutants was lost. Build the bank again.") from None


def _work(
    todo: _Todo, done: _Done, questions: Sequence[Question], endpoint: Endpoint, folder: Path, seed: int
) -> None:
    try:
        with GuardedExecutor(endpoint, LIMITS, folder) as executor:
            for cell in iter(todo.get, None):
                own = [question for question in questions if question.task == cell.task]
                done.put(check(cell, candidates(cell, own, seed), executor))
    except RetroCypherError as error:
        done.put(error)
