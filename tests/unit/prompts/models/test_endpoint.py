"""Calls in flight at an endpoint, and how long its headers and failures make us wait."""

import asyncio
import time
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.prompts.models.endpoint import Endpoint, RetryPolicy, Ticket, exhausted_s, retry_after_s


class Call:
    """A call that lasts until the test ends it."""

    def __init__(self, endpoint: Endpoint, *, urgent: bool = True, characters: int = 0) -> None:
        self.ticket = Ticket(urgent, characters)
        self.began: float | None = None
        self.ends = asyncio.Event()
        self.task = asyncio.ensure_future(self._last(endpoint))

    async def _last(self, endpoint: Endpoint) -> None:
        async with endpoint.call(self.ticket):
            self.began = self.ticket.began
            await self.ends.wait()


async def settle() -> None:
    """Let all tasks do what they can."""
    for _ in range(5):
        await asyncio.sleep(0)


@given(
    st.integers(1, 4),
    st.lists(
        st.tuples(
            st.sampled_from(["call", "end", "give up", "hurry", "throttle", "succeed"]), st.integers(0, 9)
        ),
        max_size=40,
    ),
)
def test_calls_in_flight_are_bounded_and_urgent_ones_come_first(
    most: int, operations: list[tuple[str, int]]
) -> None:
    async def check() -> None:
        endpoint, waiting, flying = Endpoint(most), list[Call](), list[Call]()
        for what, number in operations:
            match what:
                case "call":
                    waiting.append(Call(endpoint, urgent=number % 2 == 0))
                case "end" if flying:
                    flying.pop(number % len(flying)).ends.set()
                case "give up" if waiting:
                    waiting.pop(number % len(waiting)).task.cancel()
                case "hurry" if waiting:
                    waiting[number % len(waiting)].ticket.urgent = True
                case "throttle" if flying:
                    endpoint.throttled(flying[number % len(flying)].ticket)
                case "succeed":
                    endpoint.succeeded(Ticket(urgent=True), None)
            await settle()
            began = [call for call in waiting if call.began is not None]
            in_turn = sorted(waiting, key=lambda call: not call.ticket.urgent)
            assert set(began) == set(in_turn[: len(began)])
            waiting = [call for call in waiting if call.began is None]
            flying += began
            assert endpoint.in_flight == len(flying) <= most
            assert not began or len(flying) <= endpoint.limit
            if waiting and what in ("call", "end"):
                assert len(flying) >= endpoint.limit
        for call in (*waiting, *flying):
            call.task.cancel()
        await settle()
        assert endpoint.in_flight == 0

    asyncio.run(check())


@given(st.integers(1, 40), st.data())
def test_the_limit_halves_once_for_calls_of_one_time_and_grows_back(most: int, data: st.DataObject) -> None:
    async def check() -> None:
        endpoint = Endpoint(most)
        for times in (1, 2):
            calls = [Call(endpoint) for _ in range(data.draw(st.integers(1, endpoint.limit)))]
            await settle()
            for call in calls:
                assert endpoint.throttled(call.ticket) == times
                assert endpoint.limit == max(1, most // 2**times)
                call.ends.set()
            await settle()
        assert endpoint.is_throttled == (most > 1)
        limits = [endpoint.limit]
        for _ in range(most**2):
            endpoint.succeeded(Ticket(urgent=True), None)
            limits.append(endpoint.limit)
        assert limits == sorted(limits)
        assert limits[-1] == most
        assert not endpoint.is_throttled

    asyncio.run(check())


def test_no_call_begins_during_a_pause_and_all_do_after_it() -> None:
    async def check() -> None:
        endpoint, paused = Endpoint(8), Endpoint(8)
        endpoint.pause(0.01)
        calls = [Call(endpoint) for _ in range(3)]
        await asyncio.wait_for(asyncio.gather(*(call.ticket.admitted for call in calls)), 60)
        paused.pause(600)
        paused.pause(0)
        call = Call(paused)
        await settle()
        assert (call.began, paused.in_flight, paused.is_throttled) == (None, 0, True)

    asyncio.run(check())


def test_tokens_are_counted_when_a_call_begins_and_corrected_when_it_has_ended() -> None:
    async def check() -> None:
        endpoint = Endpoint(8, tokens_per_minute=60)
        first, second = (Call(endpoint, characters=4_000) for _ in range(2))
        await settle()
        assert first.ticket.reserved == 1_000
        assert (first.began is None, second.began) == (False, None)
        endpoint.succeeded(first.ticket, {"prompt": 0, "completion": 0})
        first.ends.set()
        await asyncio.wait_for(second.ticket.admitted, 60)
        # The calls before it had few tokens for their length.
        assert second.ticket.reserved < 10
        third = Call(endpoint, characters=4_000)
        endpoint.succeeded(second.ticket, None)
        second.ends.set()
        await settle()
        assert third.began is None

    asyncio.run(check())


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "5s"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m0.5s"}, 60.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1h2m3s4ms"}, 3723.004),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "soon"}, 0.0),
        ({"x-ratelimit-remaining-tokens": "0"}, 0.0),
    ],
)
def test_reads_when_a_used_up_limit_is_reset(headers: dict[str, str], seconds: float) -> None:
    assert exhausted_s(headers) == pytest.approx(seconds)
    both = {**headers, "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "2h"}
    assert exhausted_s(both) == 7200.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": formatdate(time.time() - 60, usegmt=True)}, 0.0),
    ],
)
def test_reads_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds
    later = retry_after_s({"retry-after": formatdate(time.time() + 100, usegmt=True)})
    assert later is not None
    assert 90 < later <= 100


def test_waits_grow_and_never_undercut_what_was_asked() -> None:
    policy = RetryPolicy(first_wait_s=1.0, longest_wait_s=8.0)
    waits = [policy.wait_s(attempt, None) for attempt in (1, 2, 3, 9)]
    for wait, middle in zip(waits, (1.0, 2.0, 4.0, 8.0), strict=True):
        assert 0.75 * middle <= wait <= 1.25 * middle
    assert policy.wait_s(1, 30.0) >= 30.0
    assert policy.wait_s(4, 0.5) >= 0.75 * 8.0
