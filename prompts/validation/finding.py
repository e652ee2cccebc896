"""The types of validation: what a question asks, a finding, a verdict, and the case that checks examine."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.semantics.query_model import Condition, Operation, PatternEdge, Projection, QueryModel
from retrocypher.kg.semantics.schema import Schema
from retrocypher.prompts.validation.graph_view import Domain, Link, View

Convention = Literal["benchmark", "as-asked"]
CONVENTIONS: tuple[Convention, ...] = get_args(Convention)

Intent = Literal[
    "precursors",
    "producing_reactions",
    "best_yield",
    "multi_product",
    "co_products",
    "conditions",
    "chains_to_target",
    "chains_between",
    "intermediates",
    "multi_step_precursors",
]
assert get_args(Intent) == TASKS  # one word for a thing: an intent is called as the task is

MoleculeRole = Literal["target", "start", "product"]


@dataclass(frozen=True, slots=True)
class QuestionMolecule:
    """A molecule that a question names, by its SMILES as the question writes it.

    Attributes:
        role: ``target`` for what is made, ``start`` for what a route starts from, ``product`` for one of
            several that one reaction makes; None where the question does not say.
    """

    name: str
    role: MoleculeRole | None


@dataclass(frozen=True, slots=True)
class QuestionIntent:
    """What a question asks for.

    Attributes:
        intent: The kind of question; None where it cannot be told.
        molecules: The molecules in the order of the text.
        steps: Number of reaction steps, None where the question gives none or leaves it open.
        components: For ``conditions``, which of ``agents`` and ``solvents`` are asked for.
        note: Where something cannot be told, what and why; else empty.
    """

    intent: Intent | None
    molecules: tuple[QuestionMolecule, ...] = ()
    steps: int | None = None
    components: frozenset[str] = frozenset()
    note: str = ""


class Place(Protocol):
    """A part of the query, by its offsets."""

    @property
    def start(self) -> int:
        """Offset where it begins."""

    @property
    def stop(self) -> int:
        """Offset after its last character."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is wrong with a query.

    Attributes:
        label: A name of ``kg.labels``, with its detail where it has one: ``missing_component:agents``.
        message: What is wrong, where, and what would be right.
        start: Offset in the query where it begins.
        stop: Offset after its last character; equal to ``start`` where something is missing.
    """

    label: str
    message: str
    start: int
    stop: int

    @classmethod
    def at(cls, place: Place, label: str, message: str) -> "Finding":
        """Return a finding about a part of the query."""
        return cls(label, message, place.start, place.stop)


@dataclass(frozen=True, slots=True)
class Validation:
    """The verdict on a query.

    Attributes:
        findings: What is wrong, the cause before its consequences.
        asked: What the question was read as.
        note: What cannot be told of the question, and why; else empty.
        not_read: What was not read, so that an error in it is not found; else empty.
    """

    valid: bool
    findings: tuple[Finding, ...]
    asked: QuestionIntent
    note: str
    not_read: str = ""

    @property
    def verdict(self) -> Literal["valid", "invalid", "not_read"]:
        """``invalid`` with findings, ``not_read`` where there are none and something was not read."""
        if not self.valid:
            return "invalid"
        return "not_read" if self.not_read else "valid"


_SHORT = 60


@dataclass(frozen=True, slots=True)
class Case:
    """One query with its question, as the checks see them."""

    reading: QueryModel
    view: View
    asked: QuestionIntent
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

    @property
    def operations(self) -> Iterator[tuple[Condition, Operation]]:
        """The conditions that are operations, with their terms."""
        for condition in self.reading.conditions:
            if isinstance(condition.term, Operation):
                yield condition, condition.term

    def written(self, start: int, stop: int) -> str:
        """A stretch of the query for a message, on one line and shortened."""
        text = " ".join(self.text[start:stop].split())
        return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"

    def pattern(self, link: Link) -> str:
        """An edge with its ends as it is written, for a message."""
        return self.written_pattern(link.edge)

    def written_pattern(self, edge: PatternEdge) -> str:
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
        return Finding.at(
            place,
            "duplicate_or_incomplete",
            f"{self.view.name(node)} is looked up in a pattern of its own, so it limits nothing. "
            "Name the molecule in the pattern of the reactions.",
        )

    def finding(self, label: str, message: str, edge: PatternEdge) -> Finding:
        """A finding whose place is an edge."""
        return Finding(label, message, edge.start_offset, edge.stop_offset)


def names(parts: list[str]) -> str:
    """Several things in a row of words."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
