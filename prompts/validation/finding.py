"""The types of validation: what a question asks, a finding, and a verdict."""

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from retrocypher.kg.questions.question import TASKS

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


def names(parts: list[str]) -> str:
    """Several things in a row of words."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
