"""The result of executing a query, and what an error of the server means for it."""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from msgspec import Struct, field

from retrocypher.kg.errors import GraphError
from retrocypher.kg.execution.hashing import Values, compared_rows, hash_value

Status = Literal["ok", "syntax_error", "runtime_error", "timeout", "refused", "no_query"]

_SYNTAX = frozenset({"Neo.ClientError.Statement.SyntaxError", "Neo.ClientError.Statement.SemanticError"})
_REFUSED = frozenset(
    {
        "Neo.ClientError.Statement.AccessMode",
        "Neo.ClientError.Statement.NotSystemDatabaseError",
        "Neo.ClientError.Statement.UnsupportedAdministrationCommand",
        "Neo.ClientError.Security.Forbidden",
    }
)
_TIMED_OUT = "Neo.ClientError.Transaction.TransactionTimedOut"
_STOPPED = ("Neo.ClientError.Transaction.Terminated", "Neo.TransientError.Transaction.Terminated")

_DATABASE = "Neo.ClientError.Database."
"""The query's fault where it names a database with USE, else the session's; the server is asked which."""

_BLAMED_ON_QUERY = ("Neo.ClientError.", "Neo.DatabaseError.Statement.")

_LEXER = "Lexical error at "
"""How a message begins where the server's lexer gave up; the code then is one for accidents of the server."""

_POSITION = re.compile(rf"(^{_LEXER}|\()line (\d+), column (\d+)(?: \(offset: (\d+)\))?")
_PREFIX = "EXPLAIN\n"
_PREFIX_LINES = 1


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one query.

    Attributes:
        timeout_s: Wall-clock seconds a query may take.
        row_cap: Rows kept; further rows are counted as truncation.
        byte_cap: Size of the kept rows as JSON, in bytes; a row that would pass it ends the result.
        release_s: Seconds a stopped query may still occupy the server before the server is replaced.
    """

    timeout_s: float = 30.0
    row_cap: int = 10_000
    byte_cap: int = 8 * 1024 * 1024
    release_s: float = 10.0


class Execution(Struct, frozen=True):
    """What running a query gave; in this form it is the ``execution`` of a record."""

    status: Status
    """How the query ended."""
    code: str | None = None
    """Neo4j's status code."""
    message: str | None = None
    """The server's message, or the reason."""
    columns: list[str] = field(default_factory=list)
    """Names of the columns."""
    rows: list[Any] = field(default_factory=list)
    """Values in column order, one list a row."""
    row_count: int = 0
    """Number of rows."""
    truncated: bool = False
    """Whether a cap cut the result."""
    time_s: float = 0.0
    """Seconds of the deciding attempt, planning included."""


class HashedTable(Execution, frozen=True):
    """A complete result as hashes of its values; ``columns`` and ``rows`` are empty."""

    width: int = 0
    """Number of columns."""
    hashes: bytes = b""
    """`HASH_BYTES` bytes for each value, row after row."""


def hash_rows(execution: Execution, values: Values) -> Execution:
    """Return the `HashedTable` of a complete result that was kept as rows; what is not ``ok`` as it is."""
    if execution.status != "ok":
        return execution
    rows = list(compared_rows(execution.rows, values))
    hashes = b"".join(hash_value(value, values) for row in rows for value in row)
    return HashedTable("ok", row_count=len(rows), width=len(execution.columns), hashes=hashes)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an executor.

    With ``plan_only`` the query is planned and checked, and not run. With ``values`` its result is hashed.
    """

    text: str
    limits: Limits
    plan_only: bool = False
    values: Values | None = None


class GraphUnavailable(GraphError):  # noqa: N818 - the name that records and callers know
    """The server is gone and cannot be brought back, or refuses the connection: nobody's wrong answer."""


class Trouble(Enum):
    """Why an attempt does not decide yet: the query is tried once more with no other beside it."""

    TIME = "time"
    MEMORY = "memory"
    """A memory limit, or any other error that the server does not blame on the query."""

    LOST = "lost"
    """The connection, the server or our own client process ended."""


class Unauthorised(Exception):  # noqa: N818 - a signal, not an error
    """The server does not accept the session's credentials any more."""


def judge(error: dict[str, Any]) -> Status | Trouble:
    """Return what an error means (``kind``, ``code`` and ``message`` as the client process reports them).

    Raise Unauthorised if the fault lies with the credentials.
    """
    if error["kind"] == "value":
        return "runtime_error"
    if error["kind"] != "server":
        return Trouble(error["kind"])
    code = error["code"] or ""
    if code in _SYNTAX:
        return "syntax_error"
    if code in _REFUSED:
        return "refused"
    if code.startswith(_TIMED_OUT):
        return Trouble.TIME
    if code in _STOPPED or code.endswith(".DatabaseUnavailable") or code.startswith(_DATABASE):
        return Trouble.LOST
    if code.startswith("Neo.ClientError.Security."):
        raise Unauthorised(code)
    return "runtime_error" if code.startswith(_BLAMED_ON_QUERY) else Trouble.MEMORY


def judge_planning(error: dict[str, Any]) -> Status | Trouble:
    """Return what an error met while planning means; as `judge`, but a text that is no Cypher is broken."""
    broken = error["kind"] == "server" and (error["message"] or "").startswith(_LEXER)
    return "syntax_error" if broken else judge(error)


def without_prefix(message: str) -> str:
    """Return the message of an error met while planning, with positions in the query as it was given."""

    def shifted(match: re.Match[str]) -> str:
        before, line, column, offset = match.groups()
        # A position in the prefix, or none (column 0), stands for the beginning of the query.
        ours = int(line) < _PREFIX_LINES + 1
        place = f"{before}line {max(int(line) - _PREFIX_LINES, 1)}, column {1 if ours else column}"
        return f"{place} (offset: {max(int(offset) - len(_PREFIX), 0)})" if offset else place

    return _POSITION.sub(shifted, message).replace(f'"{_PREFIX}', '"')
