"""What an error of the server means, what a second attempt decides, and the lock of executors."""

import fcntl
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from support.turns import hold_alone
from support.waiting import becomes_true

from retrocypher.kg.execution import executor as module
from retrocypher.kg.execution.execution import (
    Call,
    Execution,
    GraphUnavailable,
    Limits,
    Trouble,
    Unauthorised,
    judge,
    judge_planning,
    without_prefix,
)
from retrocypher.kg.execution.executor import GuardedExecutor, InconclusiveAttempt
from retrocypher.kg.execution.recovery import ExclusiveRerunStats, SharedExclusiveLock
from retrocypher.kg.server.endpoint import Endpoint


def error(code: str | None, kind: str = "server") -> dict[str, str | None]:
    return {"kind": kind, "code": code, "message": "m"}


SYNTAX, SEMANTICS = "Neo.ClientError.Statement.SyntaxError", "Neo.ClientError.Statement.SemanticError"
PARAMETER = "Neo.ClientError.Statement.ParameterMissing"
UNKNOWN = "Neo.DatabaseError.General.UnknownError"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (SYNTAX, "syntax_error"),
        (SEMANTICS, "syntax_error"),
        (PARAMETER, "runtime_error"),
        ("Neo.ClientError.Statement.ArithmeticError", "runtime_error"),
        ("Neo.ClientError.Procedure.ProcedureNotFound", "runtime_error"),
        ("Neo.DatabaseError.Statement.ExecutionFailed", "runtime_error"),
        ("Neo.ClientError.Statement.AccessMode", "refused"),
        ("Neo.ClientError.Security.Forbidden", "refused"),
        ("Neo.ClientError.Statement.UnsupportedAdministrationCommand", "refused"),
        ("Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration", Trouble.TIME),
        ("Neo.ClientError.Transaction.TransactionTimedOut", Trouble.TIME),
        ("Neo.TransientError.General.MemoryPoolOutOfMemoryError", Trouble.MEMORY),
        ("Neo.TransientError.General.StackOverFlowError", Trouble.MEMORY),
        (UNKNOWN, Trouble.MEMORY),
        ("Neo.TransientError.Transaction.Terminated", Trouble.LOST),
        ("Neo.TransientError.General.DatabaseUnavailable", Trouble.LOST),
        ("Neo.ClientError.Database.DatabaseNotFound", Trouble.LOST),
    ],
)
def test_codes(code: str, expected: str | Trouble) -> None:
    assert judge(error(code)) == expected


def test_own_reports_and_bad_credentials() -> None:
    assert judge(error(None, "lost")) is Trouble.LOST
    assert judge(error(None, "memory")) is Trouble.MEMORY
    with pytest.raises(Unauthorised):
        judge(error("Neo.ClientError.Security.Unauthorized"))


@pytest.mark.parametrize(
    ("code", "message", "expected"),
    [
        (UNKNOWN, "Lexical error at line 2, column 16.  Enc", "syntax_error"),
        (UNKNOWN, "Index 3 out of bounds", Trouble.MEMORY),
        (SYNTAX, "Invalid input", "syntax_error"),
        (PARAMETER, None, "runtime_error"),
    ],
)
def test_a_text_the_lexer_cannot_cut_is_broken(
    code: str, message: str | None, expected: str | Trouble
) -> None:
    assert judge_planning({"kind": "server", "code": code, "message": message}) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            'Variable `x` not defined (line 2, column 8 (offset: 15))\n"RETURN x"\n        ^',
            'Variable `x` not defined (line 1, column 8 (offset: 7))\n"RETURN x"\n        ^',
        ),
        (
            'Lexical error at line 2, column 16.  Encountered: <EOF> after : ""',
            'Lexical error at line 1, column 16.  Encountered: <EOF> after : ""',
        ),
        ("Unexpected end (line 1, column 8 (offset: 7))", "Unexpected end (line 1, column 1 (offset: 0))"),
        ("Got: 2 (line 1, column 0 (offset: 8))", "Got: 2 (line 1, column 1 (offset: 0))"),
        ("Got: 2 (line 0, column 0 (offset: 8))", "Got: 2 (line 1, column 1 (offset: 0))"),
        ('A (line 3, column 2 (offset: 20))\n"x = \'line 9, column 9\'"',
         'A (line 2, column 2 (offset: 12))\n"x = \'line 9, column 9\'"'),
        ('Got: 2\n"EXPLAIN\nRETURN 1; RETURN 2"', 'Got: 2\n"RETURN 1; RETURN 2"'),
    ],
)  # fmt: skip
def test_positions_are_those_of_the_query_as_given(message: str, expected: str) -> None:
    assert without_prefix(message) == expected


Another = Callable[..., GuardedExecutor]
OK = Execution("ok", columns=["a"], rows=[[1]], row_count=1)

LATE = InconclusiveAttempt(Trouble.TIME, None, None, 3.1)
TOO_LARGE = InconclusiveAttempt(Trouble.MEMORY, "Neo.TransientError.General.X", "pool", 0.2)


class Stage:
    """Stands in for the client process, the attempts and the server care."""

    def __init__(self) -> None:
        self.outcomes: list[Any] = []
        self.calls: list[str] = []
        self.asked: list[Call] = []
        self.restarted = 0
        self.well = True

    def start(self) -> None:
        self.calls.append("start")

    def reconnect(self) -> None:
        self.calls.append("reconnect")

    def close(self) -> None:
        pass

    def restarts(self) -> int:
        return self.restarted

    def terminate_leftovers(self) -> None:
        self.calls.append("quiet")
        if not self.well:
            raise GraphUnavailable("gone")

    def attempt(self, call: Call, *, shortcut: bool) -> Any:
        kind = "plan" if call.plan_only else "attempt"
        self.calls.append(f"{kind} {'short' if shortcut else 'whole'}")
        self.asked.append(call)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    stage = Stage()
    for name in ("Client", "Attempts", "ServerRecovery"):
        monkeypatch.setattr(module, name, lambda *_: stage)
    return stage


@pytest.fixture
def another(tmp_path: Path) -> Another:
    """Another executor of the same session, with a limit of its own."""
    return lambda timeout_s=3: GuardedExecutor(
        Endpoint("bolt://nowhere", "u", "p"), Limits(timeout_s=timeout_s), tmp_path
    )


@pytest.fixture
def executor(stage: Stage, another: Another) -> Iterator[GuardedExecutor]:
    with another() as executor:
        stage.calls.clear()
        yield executor


def undecided(trouble: Trouble, code: str | None = None, message: str | None = None) -> InconclusiveAttempt:
    return InconclusiveAttempt(trouble, code, message, 1.0)


@pytest.mark.parametrize(
    ("cypher", "status"),
    [
        (None, "no_query"),
        ("", "no_query"),
        ("  \n\t", "no_query"),
        ("RETURN '" + "x" * 200_000 + "'", "refused"),
        ("RETURN '\ud800'", "syntax_error"),
    ],
    ids=["none", "empty", "blank", "too long", "half a character"],
)
def test_what_cannot_be_sent_is_not_tried(
    executor: GuardedExecutor, stage: Stage, cypher: str | None, status: str
) -> None:
    assert executor.run(cypher).status == status
    assert stage.calls == []


@pytest.mark.parametrize("trouble", [None, *Trouble])
def test_a_first_decision_is_kept_and_a_second_attempt_goes_the_whole_way(
    executor: GuardedExecutor, stage: Stage, trouble: Trouble | None
) -> None:
    stage.outcomes = [undecided(trouble), OK] if trouble else [OK]
    assert executor.run("RETURN 1") == OK
    assert stage.calls == ["attempt short", *(["quiet", "attempt whole"] if trouble else [])]


@pytest.mark.parametrize(
    ("second", "status", "part"),
    [
        (undecided(Trouble.TIME), "timeout", "within 3 s"),
        (undecided(Trouble.MEMORY, "Neo.TransientError.General.X", "pool"), "runtime_error", "pool"),
        (undecided(Trouble.MEMORY, None, "cannot be read"), "runtime_error", "cannot be read"),
        (undecided(Trouble.LOST), "runtime_error", "no other query beside it"),
        (undecided(Trouble.LOST, "Neo.ClientError.Database.X", "no such"), "runtime_error", "no such"),
    ],
)
def test_trouble_twice_is_the_querys_own(
    executor: GuardedExecutor, stage: Stage, second: InconclusiveAttempt, status: str, part: str
) -> None:
    stage.outcomes = [undecided(Trouble.LOST), second]
    execution = executor.run("RETURN 1")
    assert execution.status == status
    assert part in (execution.message or "")
    assert execution.code == second.code
    assert execution.time_s == second.time_s
    # Where the server said nothing it is looked after before the query is blamed.
    assert stage.calls.count("quiet") == (2 if second.code is None else 1)


def test_lost_servers_and_credentials_are_nobodys_answer(executor: GuardedExecutor, stage: Stage) -> None:
    stage.outcomes = [Unauthorised("Neo.ClientError.Security.Unauthorized"), undecided(Trouble.LOST), OK]
    with pytest.raises(GraphUnavailable, match="does not accept the user u"):
        executor.run("RETURN 1")
    stage.well = False
    with pytest.raises(GraphUnavailable):
        executor.run("RETURN 1")
    # The turn was given back: the next query is tried again.
    assert executor.run("RETURN 1") == OK


def test_a_server_replaced_by_another_process_is_reconnected_to(
    executor: GuardedExecutor, stage: Stage
) -> None:
    stage.outcomes = [OK, OK]
    stage.restarted = 1
    executor.run("RETURN 1")
    executor.run("RETURN 1")
    assert stage.calls == ["reconnect", "attempt short", "attempt short"]


@pytest.mark.parametrize("second", [LATE, TOO_LARGE])
def test_what_a_lone_run_showed_is_not_shown_again(
    executor: GuardedExecutor, stage: Stage, another: Another, second: InconclusiveAttempt
) -> None:
    stage.outcomes = [LATE, second]
    verdict = executor.run("RETURN 1")
    stage.calls.clear()
    assert executor.run("RETURN 1") == verdict
    with another() as other:
        assert other.run("RETURN 1") == verdict
    assert stage.calls == ["start"]


def test_another_text_or_other_limits_are_another_question(
    executor: GuardedExecutor, stage: Stage, another: Another
) -> None:
    stage.outcomes = [LATE, LATE, OK, OK]
    executor.run("RETURN 1")
    assert executor.run("RETURN 1 ") == OK
    with another(9) as other:
        assert other.run("RETURN 1") == OK


@pytest.mark.parametrize("second", [OK, undecided(Trouble.LOST)])
def test_an_answer_and_a_lost_server_are_not_kept(
    executor: GuardedExecutor, stage: Stage, second: Execution | InconclusiveAttempt
) -> None:
    stage.outcomes = [LATE, second, OK]
    executor.run("RETURN 1")
    assert executor.run("RETURN 1") == OK
    assert stage.outcomes == []


def test_whoever_waited_for_the_same_query_does_not_run_it_again(
    executor: GuardedExecutor, stage: Stage, another: Another, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.outcomes = [LATE, LATE, LATE]
    wait = SharedExclusiveLock.exclusive
    with another() as other:

        def overtaken(lock: SharedExclusiveLock) -> AbstractContextManager[None]:
            monkeypatch.setattr(SharedExclusiveLock, "exclusive", wait)
            other.run("RETURN 1")
            return wait(lock)

        monkeypatch.setattr(SharedExclusiveLock, "exclusive", overtaken)
        assert executor.run("RETURN 1").status == "timeout"
    assert stage.outcomes == []
    assert executor.standstill.queries == 1


def test_the_session_knows_how_long_it_stood_still(
    executor: GuardedExecutor, stage: Stage, another: Another
) -> None:
    assert executor.standstill == ExclusiveRerunStats(0, 0.0)
    stage.outcomes = [LATE, LATE, TOO_LARGE, OK]
    for text in ("RETURN 1", "RETURN 1", "RETURN 2"):
        executor.run(text)
    with another() as other:
        found = other.standstill
    assert found == executor.standstill
    assert found.queries == 2
    assert found.seconds >= 0


def test_a_call_has_limits_of_its_own(executor: GuardedExecutor, stage: Stage) -> None:
    stage.outcomes = [LATE, LATE, OK, OK]
    assert executor.run("RETURN 1", timeout_s=2).message == "No result within 2 s."
    assert executor.run("RETURN 1") == OK
    assert executor.run("MATCH (n) RETURN n", timeout_s=60, row_limit=5) == OK
    assert [call.limits.timeout_s for call in stage.asked] == [2, 2, 3, 3]
    assert stage.asked[-1].text == "MATCH (n) RETURN n\nLIMIT 5"


def test_what_was_planned_is_not_planned_again_and_no_verdict_on_the_run(
    executor: GuardedExecutor, stage: Stage
) -> None:
    stage.outcomes = [Execution("ok"), Execution("syntax_error", message="no"), LATE, LATE, OK]
    for _ in range(2):
        assert executor.explain("RETURN 1").status == "ok"
        assert executor.explain("RETURN").message == "no"
        assert executor.explain("RETURN 2").status == "timeout"
    assert executor.explain(" ").status == executor.explain(None).status == "no_query"
    assert stage.calls[:2] == ["plan short", "plan short"]
    assert executor.run("RETURN 2") == OK
    assert stage.outcomes == []


WAIT_S = 60.0


def turnstile_is_closed(folder: Path) -> bool:
    with (folder / "turnstile.lock").open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_many_share_and_whoever_waits_to_be_alone_goes_before_those_who_come_later(tmp_path: Path) -> None:
    holder, second, writer, late = (SharedExclusiveLock(tmp_path) for _ in range(4))
    order: list[str] = []

    def alone() -> None:
        with writer.exclusive():
            order.append("alone")

    def shared() -> None:
        with late.shared():
            order.append("late")

    with holder.shared(), second.shared():
        threads = [threading.Thread(target=alone)]
        threads[0].start()
        assert becomes_true(lambda: turnstile_is_closed(tmp_path))
        threads.append(threading.Thread(target=shared))
        threads[1].start()
        time.sleep(0.2)
        assert order == []
    for thread in threads:
        thread.join(WAIT_S)
    assert order == ["alone", "late"]


def test_a_killed_process_frees_its_turn(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    held = context.Event()
    process = context.Process(target=hold_alone, args=(tmp_path, held))
    process.start()
    assert process.pid
    assert held.wait(WAIT_S)
    os.kill(process.pid, signal.SIGKILL)
    with SharedExclusiveLock(tmp_path).shared():
        process.join(WAIT_S)
    assert process.exitcode == -signal.SIGKILL
