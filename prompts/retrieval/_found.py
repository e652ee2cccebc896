"""A passage that was found."""

from dataclasses import dataclass
from typing import Any

from kg.passages import Passage


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with how near it is.

    Attributes:
        passage: The passage.
        score: From 0 to 1; what it is depends on how it was found.
    """

    passage: Passage
    score: float

    def to_json(self) -> dict[str, Any]:
        """Return what a record says of it: the text stands in the messages."""
        where = {"reaction": self.passage.reaction, "file": self.passage.file, "row": self.passage.row}
        return {**where, "score": round(self.score, 6)}
