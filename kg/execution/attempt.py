"""One attempt at a query: plan, check, run, within the deadline."""

import time
from typing import Any

from msgspec import Struct, structs

from retrocypher.kg.cypher.parameters import parameter_places, parameterise, shape
from retrocypher.kg.cypher.tokens import tokens
from retrocypher.kg.execution.client import Client, ClientGone, ClientLate
from retrocypher.kg.execution.execution import (
    Call,
    Execution,
    Status,
    Trouble,
    judge,
    judge_planning,
    without_prefix,
)
from retrocypher.kg.execution.guard import (
    guard_rules,
    refusal_by_plan,
    refusal_by_tokens,
    without_profile,
    writing_in,
)

_MOST_SHAPES = 20_000
_LONGEST_SHORTCUT = 4_000


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

        Args:
            shortcut: Skip the planning of a query whose shape was planned and found harmless before, and send
                its strings as parameters. Only a success counts; all else is decided the long way.

        Raises:
            Unauthorised: The server does not accept the session's credentials.
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
            return None
        places = self._harmless[kind]
        if places is None:
            places = self._harmless[kind] = parameter_places(text)
        query = parameterise(text, places)
        if call.plan_only:
            plan = self._client.explain(query.text, query.parameters, self._tag, deadline)
            return None if "error" in plan else Execution("ok")
        answer = self._client.run(query.text, query.parameters, self._tag, deadline)
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
        self._remember(text)
        if call.plan_only:
            return Execution("ok")
        answer = self._client.run(text, {}, self._tag, deadline)
        return _failed(judge(answer["error"]), answer["error"]) if "error" in answer else _ok(answer)

    def _remember(self, text: str) -> None:
        if len(text) <= _LONGEST_SHORTCUT and len(self._harmless) < _MOST_SHAPES:
            self._harmless.setdefault(shape(text))


def _ok(answer: dict[str, Any]) -> Execution:
    rows = answer["rows"]
    return Execution(
        "ok", columns=answer["columns"], rows=rows, row_count=len(rows), truncated=answer["truncated"]
    )


def _failed(verdict: Status | Trouble, error: dict[str, Any]) -> Execution | InconclusiveAttempt:
    code, message = error["code"], error["message"]
    if isinstance(verdict, Trouble):
        return InconclusiveAttempt(verdict, code, message, 0.0)
    return Execution(verdict, code=code, message=message)
