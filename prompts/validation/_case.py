"""What the checks are handed, and how they report."""

from dataclasses import dataclass

from kg.reading.model import EdgeReading, Projection, QueryModel
from kg.schema import Schema
from prompts.validation._domain import Domain
from prompts.validation._model import Asked, Convention, Finding
from prompts.validation._view import Link, View

_SHORT = 60


@dataclass(frozen=True, slots=True)
class Case:
    """One query with its question, as the checks see them."""

    reading: QueryModel
    view: View
    asked: Asked
    schema: Schema
    domain: Domain
    convention: Convention

    @property
    def text(self) -> str:
        """The query."""
        return self.reading.parsed.text

    @property
    def full(self) -> bool:
        """Whether whole reactions or routes have to be returned."""
        return self.convention == "benchmark"

    @property
    def returned(self) -> Projection | None:
        """The RETURN of the query; None where there is none, or a UNION of several."""
        branches = self.reading.branches
        return self.reading.returned(branches[0].index) if len(branches) == 1 else None

    def written(self, start: int, stop: int) -> str:
        """A stretch of the query for a message, on one line and shortened."""
        text = " ".join(self.text[start:stop].split())
        return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"

    def pattern(self, link: Link) -> str:
        """An edge with its ends as it is written, for a message."""
        return self.written_pattern(link.edge)

    def written_pattern(self, edge: EdgeReading) -> str:
        """An edge with what stands beside it, for a message."""
        left, right = (edge.end, edge.start) if edge.leftward else (edge.start, edge.end)
        inner = self.written(edge.start_offset, edge.stop_offset)
        if edge.inner:
            return inner
        return f"({self._end(left)}){inner}({self._end(right)})"

    def _end(self, key: int) -> str:
        node = self.reading.nodes[key]
        label = f":{next(iter(node.written))}" if node.written and node.variable is None else ""
        return f"{node.variable or ''}{label}"

    def joined(self, node: int) -> bool:
        """Whether some edge begins or ends at a node."""
        return any(node in (link.start, link.end) for link in self.view.links)

    def apart(self, node: int) -> Finding:
        """The finding that a molecule is looked up where nothing joins it to the rest."""
        place = self.reading.nodes[node]
        return Finding(
            "duplicate_or_incomplete",
            f"{self.view.name(node)} is looked up in a pattern of its own, so it limits nothing. "
            "Name the molecule in the pattern of the reactions.",
            place.start,
            place.stop,
        )

    def finding(self, label: str, message: str, edge: EdgeReading) -> Finding:
        """A finding whose place is an edge."""
        return Finding(label, message, edge.start_offset, edge.stop_offset)


def names(parts: list[str]) -> str:
    """Several things in a row of words."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
