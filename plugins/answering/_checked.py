"""What the graph says of a written answer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from prompts.answering import Written

CHECK_ROLE = "answer:check"


@dataclass(frozen=True, slots=True)
class Checked:
    """What the graph says of an answer, as it goes on the record.

    Attributes:
        claims: The ``claims`` of the record.
        verification: The ``verification`` of the record.
    """

    claims: list[Any]
    verification: dict[str, Any]


class Checker(Protocol):
    """Says what the graph holds of the answer of a case."""

    def check(self, case_id: str, question: str, written: "Written") -> Checked:
        """Return claims and verdict; raises GraphError where nobody can say."""
