"""Guarded execution of one query after another."""

import hashlib
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from msgspec import Struct, structs

from retrocypher.kg.cypher.edits import parameter_places, parameterise, shape
from retrocypher.kg.cypher.tokens import tokens
from retrocypher.kg.execution.client import Client, ClientGone, ClientLate
from retrocypher.kg.execution.execution import (
    Call,
    Execution,
    GraphUnavailable,
    HashedTable,
    Limits,
    Status,
    Trouble,
    Unauthorised,
    judge,
    judge_planning,
    without_prefix,
)
from retrocypher.kg.execution.guard import (
    guard_rules,
    only_reads,
    refusal_by_plan,
    refusal_by_tokens,
    with_limit,
    without_profile,
    writing_in,
)
from retrocypher.kg.execution.hashing import Values
from retrocypher.kg.execution.recovery import (
    TAG,
    ExclusiveRerunStats,
    ServerRecovery,
    SharedExclusiveLock,
    Verdicts,
)
from retrocypher.kg.server.endpoint import Endpoint

_MOST_SHAPES = 20_000
_LONGEST_SHORTCUT = 4_000

_MOST_PLANNED = 10_000
_LASTING = ("ok", "syntax_error", "refused")


class InconclusiveAttempt(Struct, frozen=True):
    """An attempt that says nothing about the query yet."""

    trouble: Trouble
    code: str | None
    message: str | None
    time_s: float


class Attempts:
    """Runs queries through a client process, remembering which shapes of query were found harmless."""

    def __init__(self, client: Client, tag: dict[str, str]) -> None:
        self._client = client
        self._tag = tag
        # By shape: the literals that are sent as parameters, None until a query of that shape comes again.
        self._harmless: dict[str, tuple[int, ...] | None] = {}

    def attempt(self, call: Call, *, shortcut: bool) -> Execution | InconclusiveAttempt:
        """Plan, check and run a query once; only plan and check it where no more is asked.

        The shortcut skips the planning of a query that plainly reads only. It skips it too where the shape
        was found harmless before, and sends the strings as parameters. A success counts, and an error that
        the server blames on the text as it is; all else is decided the long way. Raise Unauthorised if the
        server does not accept the session's credentials.
        """
        try:
            self._client.ready()
        except ClientGone:
            return InconclusiveAttempt(
                Trouble.LOST, None, "The process that talks to the server does not start.", 0.0
            )
        started = time.monotonic()
        deadline = started + call.limits.timeout_s
        try:
            result: Execution | InconclusiveAttempt | None = (
                self._shortcut(call, deadline) if shortcut else None
            )
            result = result or self._long_way(call, deadline)
            return structs.replace(result, time_s=time.monotonic() - started)
        except ClientLate:
            return InconclusiveAttempt(Trouble.TIME, None, None, time.monotonic() - started)
        except ClientGone:
            message = "Its result cannot be read: it is too large, or nested too deeply."
            return InconclusiveAttempt(Trouble.MEMORY, None, message, time.monotonic() - started)

    def _shortcut(self, call: Call, deadline: float) -> Execution | None:
        text = call.text
        # Escapes are left to the server, long texts to the planner: neither is worth a grammar's time.
        if len(text) > _LONGEST_SHORTCUT or "\\u" in text:
            return None
        kind = shape(text)
        if kind not in self._harmless:
            if call.plan_only or not only_reads(text, guard_rules()):
                return None
            self._found_harmless(kind)
            return _of_unchanged(self._client.run(text, {}, self._tag, deadline, call.values))
        places = self._harmless[kind]
        if places is None:
            places = self._harmless[kind] = parameter_places(text)
        query = parameterise(text, places)
        if call.plan_only:
            plan = self._client.explain(query.text, query.parameters, self._tag, deadline)
            return None if "error" in plan else Execution("ok")
        answer = self._client.run(query.text, query.parameters, self._tag, deadline, call.values)
        if not query.parameters:
            return _of_unchanged(answer)
        return None if "error" in answer else _ok(answer)

    def _long_way(self, call: Call, deadline: float) -> Execution | InconclusiveAttempt:
        text = call.text
        found = tokens(text)
        if not found:
            return Execution("no_query")
        text = without_profile(text, found)
        plan = self._client.explain(text, {}, self._tag, deadline)
        if "error" in plan:
            error = {**plan["error"], "message": without_prefix(plan["error"]["message"] or "")}
            verdict = judge_planning(error)
            writing = writing_in(text, found) if verdict == "syntax_error" else None
            if writing:
                error["message"] = f"{writing} {error['message']}"
            return _failed(verdict, error)
        rules = guard_rules()
        operators = [(name, details) for name, details in plan["operators"]]
        refusal = refusal_by_plan(plan["query_type"], operators, rules)
        refusal = refusal or refusal_by_tokens(tokens(text), rules)
        if refusal:
            return Execution("refused", message=refusal)
        if len(text) <= _LONGEST_SHORTCUT:
            self._found_harmless(shape(text))
        if call.plan_only:
            return Execution("ok")
        answer = self._client.run(text, {}, self._tag, deadline, call.values)
        return _failed(judge(answer["error"]), answer["error"]) if "error" in answer else _ok(answer)

    def _found_harmless(self, kind: str) -> None:
        if len(self._harmless) < _MOST_SHAPES:
            self._harmless.setdefault(kind)


def _ok(answer: dict[str, Any]) -> Execution:
    if "width" in answer:
        return HashedTable("ok", **answer)
    rows = answer["rows"]
    return Execution(
        "ok", columns=answer["columns"], rows=rows, row_count=len(rows), truncated=answer["truncated"]
    )


def _of_unchanged(answer: dict[str, Any]) -> Execution | None:
    """Return what an answer to the text as it is says of the query; None where an error does not decide."""
    if "error" not in answer:
        return _ok(answer)
    failed = _failed(judge(answer["error"]), answer["error"])
    return failed if isinstance(failed, Execution) else None


def _failed(verdict: Status | Trouble, error: dict[str, Any]) -> Execution | InconclusiveAttempt:
    code, message = error["code"], error["message"]
    if isinstance(verdict, Trouble):
        return InconclusiveAttempt(verdict, code, message, 0.0)
    return Execution(verdict, code=code, message=message)


class GuardedExecutor:
    """Runs untrusted Cypher against a server, and returns the result.

    Nothing runs before its text, or its text and the server's plan of it, were found to read only the graph.
    A query that runs into a time or memory limit, or during which the server is lost, is run once more with
    no other query beside it; that second run decides, so load never does. Where it shows that the query is
    over a limit, the session does not run that text again.

    One executor serves one thread. Executors of a session share verdicts through a folder that is new for
    each session (``coordination_dir``), and locks too where the server has no folder. On a server of ours the
    locks are in the server's folder, so that sessions which share it take turns as well.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits, coordination_dir: Path) -> None:
        self._endpoint = endpoint
        self._limits = limits
        coordination_dir.mkdir(parents=True, exist_ok=True)
        shared = Path(endpoint.control).parent if endpoint.control else coordination_dir
        self._lock = SharedExclusiveLock(shared)
        self._verdicts = Verdicts(coordination_dir)
        session = hashlib.sha256(str(coordination_dir.resolve()).encode()).hexdigest()[:16]
        self._client = Client(endpoint, limits)
        self._attempts = Attempts(self._client, {TAG: session})
        self._planned: dict[str, Execution] = {}
        self._recovery = ServerRecovery(endpoint, limits, session, shared)
        self._restarts_seen = self._recovery.restarts()
        self._client.start()

    @property
    def notes(self) -> tuple[str, ...]:
        """What went wrong with a server that is not ours and could not be put right, one sentence each."""
        return tuple(self._recovery.notes)

    @property
    def standstill(self) -> ExclusiveRerunStats:
        """How often queries of the session ran alone, and how long all others waited for them."""
        return self._verdicts.standstill()

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        """Run one query and return its result.

        ``timeout_s`` only shortens what the executor allows. An attempt ends within two seconds of it; with
        the second attempt, and where a stopped query has to be waited for or the server replaced, the call
        takes longer. With ``row_limit`` a LIMIT is put where the query has none, or a higher one. Raise
        GraphUnavailable if the server is lost and cannot be brought back, or refuses the connection.
        """
        if cypher is None or not cypher.strip():
            return Execution("no_query")
        if row_limit is not None and _unfit(cypher) is None:
            cypher = with_limit(cypher, row_limit)
        timeout = min(timeout_s or self._limits.timeout_s, self._limits.timeout_s)
        return self._judge(Call(cypher, replace(self._limits, timeout_s=timeout)))

    def run_hashed(self, cypher: str | None, values: Values) -> Execution:
        """Run one query as `run` does and return its complete result as a `HashedTable`.

        A result of more than `HASHED_ROWS` rows is truncated. What does not end ``ok`` is no HashedTable.
        """
        if cypher is None or not cypher.strip():
            return Execution("no_query")
        return self._judge(Call(cypher, self._limits, values=values))

    def explain(self, cypher: str | None) -> Execution:
        """Return the status that planning gives a query, without running it; raise as `run`.

        The status is ``ok`` where the server plans it and it may run; else it is that of `run`, with the
        server's message or the reason for a refusal. There are no rows. A text is planned once, and one of a
        known shape in about a millisecond.
        """
        if cypher is None or not cypher.strip():
            return Execution("no_query")
        found = self._planned.get(cypher) or self._judge(Call(cypher, self._limits, plan_only=True))
        if found.status in _LASTING and len(self._planned) < _MOST_PLANNED:
            self._planned[cypher] = found
        return found

    def close(self) -> None:
        """Disconnect; the executor cannot be used any more."""
        self._client.close()
        self._recovery.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _judge(self, call: Call) -> Execution:
        known = _unfit(call.text) or self._verdicts.find(call)
        if known:
            return known
        try:
            with self._lock.shared():
                # Another executor may have decided while this one waited for its turn.
                first = self._verdicts.find(call) or self._attempt(call, shortcut=True)
            return first if isinstance(first, Execution) else self._alone(call)
        except Unauthorised as error:
            raise GraphUnavailable(
                f"The server at {self._endpoint.uri} does not accept the user {self._endpoint.user} "
                f"({error}). Check NEO4J_USER and NEO4J_PASSWORD."
            ) from error

    def _alone(self, call: Call) -> Execution:
        with self._lock.exclusive():
            return self._verdicts.find(call) or self._decide(call)

    def _decide(self, call: Call) -> Execution:
        with self._verdicts.counted():
            self._recovery.terminate_leftovers()
            second = self._attempt(call, shortcut=False)
            if isinstance(second, Execution):
                return second
            if second.code is None:
                # No word from the server: it must be seen to be well before the query is blamed.
                self._recovery.terminate_leftovers()
        verdict = _verdict(second, call.limits)
        # A connection may be lost for reasons that do not last.
        if second.trouble is not Trouble.LOST:
            self._verdicts.keep(call, verdict)
        return verdict

    def _attempt(self, call: Call, *, shortcut: bool) -> Execution | InconclusiveAttempt:
        restarts = self._recovery.restarts()
        if restarts != self._restarts_seen:
            self._restarts_seen = restarts
            self._client.reconnect()
        return self._attempts.attempt(call, shortcut=shortcut)


def _unfit(cypher: str) -> Execution | None:
    longest = guard_rules().longest_text
    if len(cypher) > longest:
        return Execution("refused", message=f"It is longer than {longest:,} characters.")
    try:
        cypher.encode()
    except UnicodeEncodeError as error:
        return Execution("syntax_error", message=f"Half a surrogate pair at offset {error.start}.")
    return None


def _verdict(second: InconclusiveAttempt, limits: Limits) -> Execution:
    if second.trouble is Trouble.TIME:
        message = f"No result within {limits.timeout_s:g} s."
        return Execution("timeout", code=second.code, message=message, time_s=second.time_s)
    message = second.message or ""
    if second.trouble is Trouble.LOST and second.code is None:
        message = (
            "The server stopped or closed the connection whenever this query ran, the second time with "
            "no other query beside it."
        )
    return Execution("runtime_error", code=second.code, message=message, time_s=second.time_s)
