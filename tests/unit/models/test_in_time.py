"""A call is over when its time is, whatever it does about that."""

import asyncio
import signal
import time
from collections.abc import Iterator

import pytest

from retrocypher.prompts.models.openai_client import in_time


async def deaf() -> str:
    """Takes no notice of being cancelled once."""
    for _ in range(2):
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            continue
    return "late"


def test_what_a_call_returns_or_raises_is_passed_on() -> None:
    async def answer() -> str:
        return "ok"

    async def fail() -> str:
        raise ValueError("no")

    assert asyncio.run(in_time(answer, 5)) == "ok"
    with pytest.raises(ValueError, match="no"):
        asyncio.run(in_time(fail, 5))


def test_a_call_that_swallows_its_cancellation_is_over_all_the_same() -> None:
    with asyncio.Runner() as runner, pytest.raises(TimeoutError):
        runner.run(in_time(deaf, 0.05))


@pytest.fixture
def listens() -> Iterator[None]:
    """A worker of xdist takes no notice of Ctrl-C; a process of a user does."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listens")
def test_ctrl_c_is_not_held_back_either() -> None:
    async def interrupted() -> str:
        asyncio.get_running_loop().call_later(0.05, signal.raise_signal, signal.SIGINT)
        return await in_time(deaf, 30)

    started = time.monotonic()
    with asyncio.Runner() as runner, pytest.raises(KeyboardInterrupt):
        runner.run(interrupted())
    assert time.monotonic() - started < 20
