"""Calls of models when something goes wrong: kills, throttling, a hanging API, a cache that waits."""

import signal
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest
from support.roles_api import RolesApi, Said, right_answers
from support.suite import Ran, Session, Suite, workers_of
from support.waiting import becomes_true

from retrocypher.kg.server.endpoint import Endpoint

MINI = "--model=gpt-4.1-mini"
P5 = ("--prompt=P5", "--shot=ZS")
CONCURRENCY = 6


def slow(text: str) -> Said:
    return Said(str(right_answers()(text)), 0.3)


def asked_again(api: RolesApi) -> int:
    """Return how many requests were made more than once."""
    return sum(often - 1 for often in Counter(text for _, text in api.asked).values())


@pytest.fixture
def session(
    api: RolesApi, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Session]:
    """A session of 60 slow cases with a cache of its own."""
    api.roles["generator"] = slow
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any-0123456789abcdef")
    monkeypatch.setenv("OPENAI_BASE_URL", api.address)
    cache = f"--cache={tmp_path / 'answers.sqlite'}"
    places = (f"--graph={endpoint.uri}", cache, "-p", "no:allure_pytest")
    asked = ("-n2", MINI, *P5, "--sample=60", f"--concurrency={CONCURRENCY}")
    yield Session((*places, *asked), tmp_path / "run")
    api.roles.clear()


def test_after_a_kill_of_the_session_few_calls_are_repeated(session: Session, api: RolesApi) -> None:
    process = session.reached(5)
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert not alive

    ended = session.whole()

    assert ended.status == 0, ended.output
    assert len(ended.records) == 60
    assert asked_again(api) <= CONCURRENCY


@pytest.mark.scale
def test_a_worker_that_is_killed_costs_its_case_and_no_call(session: Session, api: RolesApi) -> None:
    process = session.reached(5)
    workers_of(process)[0].kill()

    ended = session.ended(process)

    assert ended.status == 16, ended.output
    assert len(ended.summary["lost_cases"]) == 1
    assert ended.summary["passed"] >= 59
    assert asked_again(api) == 0


@pytest.mark.scale
def test_a_storm_of_429_slows_the_run_and_loses_nothing(scripted: Suite, api: RolesApi) -> None:
    refused: set[str] = set()

    def throttled(text: str) -> Said:
        if text not in refused and len(refused) < 20:
            refused.add(text)
            return Said(status=429, headers={"retry-after": "0.2"})
        return slow(text)

    api.roles["generator"] = throttled

    ran = scripted("-n2", MINI, *P5, "--sample=60", "--concurrency=16")

    assert ran.status == 0, ran.output
    assert len(ran.records) == 60
    assert len(api.asked) == 80
    assert not any(record["infrastructure_error"] for record in ran.records.values())


def test_while_another_program_locks_the_cache_few_completions_wait_to_be_stored(
    scripted: Suite, api: RolesApi, tmp_path: Path
) -> None:
    api.roles["generator"] = slow
    cache = tmp_path / "answers.sqlite"
    options = ("-n0", MINI, *P5, f"--cache={cache}")
    scripted(*options, "--sample=1")
    unstored: list[int] = []

    def lock() -> None:
        with closing(sqlite3.connect(cache, isolation_level=None)) as other:
            assert becomes_true(lambda: len(api.asked) > 3)
            other.execute("BEGIN IMMEDIATE")
            (stored,) = other.execute("SELECT count(*) FROM answers").fetchone()
            # Longer than it takes to ask for all that are left.
            time.sleep(5)
            unstored.append(len(api.asked) - stored)
            other.execute("ROLLBACK")

    locking = threading.Thread(target=lock)
    locking.start()
    ran = scripted(*options, "--sample=30", "--concurrency=3")
    locking.join()

    assert unstored == [3]
    assert ran.status == 0, ran.output
    with closing(sqlite3.connect(cache)) as kept:
        assert kept.execute("SELECT count(*) FROM answers").fetchone() == (30,)


@pytest.mark.scale
def test_two_sessions_with_one_cache_pay_once_for_what_one_has(
    scripted: Suite, api: RolesApi, tmp_path: Path
) -> None:
    api.roles["generator"] = slow
    options = ("-n0", MINI, *P5, "--sample=20", f"--cache={tmp_path / 'answers.sqlite'}")
    ended: list[Ran] = []
    threads = [threading.Thread(target=lambda: ended.append(scripted(*options))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [ran.status for ran in ended] == [0, 0]
    queries = [{case: record["cypher"] for case, record in ran.records.items()} for ran in ended]
    assert queries[0] == queries[1]
    third = scripted(*options)
    assert all(turn["cached"] for turn in third.rounds)


def test_repeats_are_cases_of_their_own_with_seeds_of_their_own(
    scripted: Suite, api: RolesApi, tmp_path: Path
) -> None:
    often: Counter[str] = Counter()

    def wrong_once(text: str) -> str:
        often[text] += 1
        return "RETURN 1" if often[text] == 2 else str(right_answers()(text))

    api.roles["generator"] = wrong_once
    cache = f"--cache={tmp_path / 'answers.sqlite'}"
    options = ("-n2", MINI, *P5, "--sample=6", cache)
    rules = ("--gate=pass@3>=1", "--gate=pass^2>=0.33", "--gate=changes<=1")

    ran = scripted(*options, "--repeat=3", *rules, "--gate-partial")

    assert ran.status == 0, ran.output
    assert len(ran.records) == 18
    assert Counter(body["seed"] for body in api.bodies) == {0: 6, 1: 6, 2: 6}
    (variation,) = ran.summary["variation"]
    assert (variation["count"], variation["cases"], variation["changes"]) == (3, 6, 1)
    assert variation["pass_at"] == pytest.approx([2 / 3, 1, 1])
    assert variation["pass_all"] == pytest.approx([2 / 3, 1 / 3, 0])
    assert "3 repeats" in ran.output
    case = min(ran.records)
    repeats = {record["repeat"] for name, record in ran.records.items() if name[:13] == case[:13]}
    assert repeats == {1, 2, 3}

    more = scripted(*options, "--repeat=4")

    assert len(more.records) == 24
    assert len(api.asked) == 24
    refused = scripted(*options, "--repeat=2", "--gate=pass^3>=0.5", "--gate-partial")
    assert refused.status == 4
    assert "pass^3 needs 3 repeats of each case, and the run has 2" in refused.output


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_an_interrupt_ends_requests_ahead_and_keeps_what_was_paid(
    session: Session, api: RolesApi, tmp_path: Path, workers: str
) -> None:
    session = Session((*session.arguments, "--sample=200", workers), session.run)
    process = session.reached(5)
    before = len(api.asked)
    process.send_signal(signal.SIGINT)

    ended = session.ended(process)

    assert ended.status == 2, ended.output
    assert len(api.asked) <= before + 10 * CONCURRENCY
    with closing(sqlite3.connect(tmp_path / "answers.sqlite")) as kept:
        assert kept.execute("SELECT count(*) FROM answers").fetchone() == (len(api.asked),)


def test_an_api_that_fails_gets_no_more_requests_than_may_be_in_flight(
    scripted: Suite, api: RolesApi
) -> None:
    api.roles["generator"] = lambda _: Said(status=503, headers={"retry-after": "0"})

    ran = scripted("-n0", MINI, *P5, "--sample=60", f"--concurrency={CONCURRENCY}")

    assert ran.status == 16, ran.output
    assert {record["infrastructure_error"]["kind"] for record in ran.records.values()} == {"server_error"}
    assert len({text for _, text in api.asked}) <= 2 * CONCURRENCY


def test_a_budget_cannot_be_kept_where_the_api_reports_no_tokens(scripted: Suite, api: RolesApi) -> None:
    api.roles["generator"] = lambda text: Said(str(right_answers()(text)), parts={"usage": None})

    ran = scripted("-n0", MINI, *P5, "--sample=40", "--max-cost=5", "--concurrency=2")

    assert ran.status == 16, ran.output
    assert "its calls have no known cost and --max-cost cannot be kept" in ran.output
    assert len(api.asked) <= 10
