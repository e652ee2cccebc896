"""What came of executing a query."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

Status = Literal["ok", "syntax_error", "runtime_error", "timeout", "refused", "no_query"]


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


@dataclass(frozen=True, slots=True)
class Execution:
    """The ``execution`` part of a record.

    Attributes:
        status: What happened.
        code: Neo4j's status code where it gave one.
        message: The server's message, or the reason for a refusal.
        columns: Column names in order.
        rows: Rows in column order, values in the documented JSON form.
        row_count: Rows kept.
        truncated: Whether the row cap or the byte cap cut the result.
        time_s: Wall-clock seconds of the run that counted.
    """

    status: Status
    code: str | None = None
    message: str | None = None
    columns: list[str] = field(default_factory=list)
    rows: list[list[Any]] = field(default_factory=list)
    row_count: int = 0
    truncated: bool = False
    time_s: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the object as it stands in a record; the rows are shared, not copied."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Execution":
        """Read what stands in a record; parts that are not an execution's are left aside."""
        return cls(**{part.name: value[part.name] for part in fields(cls) if part.name in value})
