"""A query to be judged."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """A query to be judged."""

    case_id: str
    """Name of the case, for messages."""
    question: str
    """The question, as asked."""
    schema: str
    """Schema text of the graph."""
    cypher: str | None
    """The query; None if the completion contained none."""
    reference: str
    """The reference query; the variant without it is not shown it."""
    columns: Sequence[str] | None = None
    """Columns of its result; None if rows are not shown."""
    rows: Sequence[Any] | None = None
    """Rows of its result in the JSON form of records, each a list; None if rows are not shown."""
