"""What a question asks, and what is found wrong with a query."""

from dataclasses import dataclass
from typing import Literal, get_args

from kg.questions import TASKS

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
INTENTS: tuple[Intent, ...] = get_args(Intent)

MoleculeRole = Literal["target", "start", "product"]


@dataclass(frozen=True, slots=True)
class AskedMolecule:
    """A molecule that a question names.

    Attributes:
        name: Its SMILES as the question writes it.
        role: ``target`` for what is made, ``start`` for what a route starts from, ``product`` for one of
            several that one reaction makes; None where the question does not say.
    """

    name: str
    role: MoleculeRole | None


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for.

    Attributes:
        intent: The kind of question; None where it cannot be told.
        molecules: The molecules in the order of the text.
        steps: Number of reaction steps, None where the question gives none or leaves it open.
        components: For ``conditions``, which of ``agents`` and ``solvents`` are asked for.
        note: Where something cannot be told, what and why; else empty.
    """

    intent: Intent | None
    molecules: tuple[AskedMolecule, ...] = ()
    steps: int | None = None
    components: frozenset[str] = frozenset()
    note: str = ""


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


@dataclass(frozen=True, slots=True)
class Validation:
    """The verdict on a query.

    Attributes:
        valid: Whether nothing was found.
        findings: What is wrong, the cause before its consequences.
        asked: What the question was read as.
        note: What could not be checked, and why; else empty.
    """

    valid: bool
    findings: tuple[Finding, ...]
    asked: Asked
    note: str
