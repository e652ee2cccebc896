"""Claims of an answer about the graph, and the verdicts on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from msgspec import UNSET, Struct, UnsetType, to_builtins

from retrocypher.kg.evidence.evidence import FactKind
from retrocypher.kg.ranges import Share, Size

Predicate = Literal[
    "REACTS_IN",
    "PRODUCES",
    "USES_AGENT",
    "USES_SOLVENT",
    "TAKES_PART_IN",
    "YIELD",
    "BEST_YIELD",
    "LEADS_TO",
    "PRECURSOR_OF",
    "COUNT",
    "HIGHER_YIELD",
    "SAME_MOLECULES",
    "SHARES",
    "IS",
]

COMPARISONS: tuple[Predicate, ...] = ("HIGHER_YIELD", "SAME_MOLECULES", "SHARES", "IS")
"""What compares two reactions."""

ROLE_PREDICATES: tuple[Predicate, ...] = ("REACTS_IN", "PRODUCES", "USES_AGENT", "USES_SOLVENT")
"""The relationships of the graph, each the role of a molecule in a reaction."""

Verdict = Literal["SUPPORTED", "UNSUPPORTED", "CONTRADICTED", "UNCERTAIN"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

Term = str | int | float | None


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement about the graph: a triple in the direction of the graph's relationships.

    ==================  ================  ==============================================================
    predicate           subject, object   what it says
    ==================  ================  ==============================================================
    ``REACTS_IN``       molecule, id      the molecule is a reactant of the reaction
    ``PRODUCES``        id, molecule      the molecule is a product of it
    ``USES_AGENT``      id, molecule      the molecule is an agent of it
    ``USES_SOLVENT``    id, molecule      the molecule is a solvent of it
    ``TAKES_PART_IN``   molecule, id      the molecule has some role in it
    ``YIELD``           id, number        it gives ``product``, or any product, in so many percent
    ``BEST_YIELD``      id, molecule      no reaction makes the molecule with a better known yield
    ``LEADS_TO``        id, id            something that the first makes reacts in the second
    ``PRECURSOR_OF``    molecule twice    a chain of ``steps`` reactions leads from one to the other
    ``COUNT``           id, number        so many molecules have the ``role`` in it
    ``COUNT``           molecule, number  so many reactions have it in the ``role``, and make ``product``
    ``COUNT``           None, number      so many molecules have the ``role`` where ``product`` is made
    ``COUNT``           start, number     with the role ``LEADS_TO``: so many routes of ``steps`` lead from
                                          the molecule (or any) to ``product``
    ``COUNT``           start, number     with ``steps`` and the role ``REACTS_IN`` or ``PRODUCES``: so many
                                          molecules begin such routes, or are made and used within them
    ``HIGHER_YIELD``    id, id            the first has a higher yield, by ``difference`` points
    ``SAME_MOLECULES``  id, id            both have the same molecules in the ``role``, or in all roles
    ``SHARES``          id, id            both have some molecule in the ``role``, or in any role
    ``IS``              id, id            they are the same reaction; ``steps`` is its place in two routes
    ==================  ================  ==============================================================

    A reaction is its integer id, or None for some reaction that is not named. A molecule is a canonical
    SMILES, or None for any: with ``negated``, "no solvent is used" is (reaction, USES_SOLVENT, None), and
    "its yield is not known" (reaction, YIELD, None).

    Attributes:
        product: For ``YIELD`` the product it is the yield of; for a reaction that is not named, a molecule
            that the reaction makes. None where nothing is said.
        low: For a ``YIELD`` that is a range, such as 80 to 85 % or over 80 %, where it begins; ``object`` is
            where it ends.
        share: For a ``YIELD`` up to 1 without a percent sign, such as 0.81: it may be a share of 1.
        origin: ``question`` where it must hold for the answer to be one to its question.
        role: Of a ``COUNT``, what is counted; of ``SAME_MOLECULES`` and ``SHARES``, what is compared.
        difference: Of ``HIGHER_YIELD``, how much higher it is, in percentage points.
        besides: Of ``SAME_MOLECULES`` and ``SHARES``, molecules that are left aside.
        sentence: Number of the sentence of the answer that says it, from 1; None where none does.
    """

    subject: Term
    predicate: Predicate
    object: Term
    product: str | None = None
    steps: int | None = None
    low: float | None = None
    share: bool = False
    negated: bool = False
    role: Predicate | None = None
    difference: float | None = None
    besides: tuple[str, ...] = ()
    origin: Literal["answer", "question"] = field(default="answer", compare=False)
    sentence: int | None = field(default=None, compare=False)

    @property
    def reactions(self) -> tuple[int, ...]:
        """The ids of reactions that it names."""
        counted = self.predicate in ("YIELD", "COUNT")
        ends = (self.subject,) if counted else (self.subject, self.object)
        return tuple(each for each in ends if isinstance(each, int))

    @property
    def molecules(self) -> tuple[str, ...]:
        """The molecules it names."""
        named = (self.subject, self.object, self.product)
        return tuple(dict.fromkeys((*(each for each in named if isinstance(each, str)), *self.besides)))

    def to_json(self) -> dict[str, Any]:
        """Return the claim as it stands in a record; what is not said of it is left out."""
        kept = ("subject", "predicate", "object")
        values = {part.name: getattr(self, part.name) for part in fields(self)}
        return {
            name: value for name, value in values.items() if name in kept or value not in (None, False, ())
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Claim":
        """Read what `to_json` wrote; other names are left aside."""
        return cls(**{part.name: value[part.name] for part in fields(cls) if part.name in value})


class SourceRecord(Struct, frozen=True):
    """The record that a reaction was made from."""

    file: str
    """File of the record."""
    row: int
    """Row in the file, from 1."""
    grant_date: str | None = None
    """Date of the patent's grant; null if unknown."""


class TextSpan(Struct, frozen=True):
    """Where the procedure text of a reaction states a fact."""

    kind: FactKind
    """The relationship, or `yield`."""
    molecule: str
    """The molecule that it is about."""
    start: Size
    """First character, from 0."""
    stop: Size
    """The character after the last one."""
    text: str | None = None
    """The words there; null if the procedure texts were not on the machine."""


class ClaimEvidence(Struct, frozen=True):
    """What the graph has on a claim."""

    reaction: int
    """Id of a reaction."""
    found: Term = None
    """What the graph has there, such as another role or yield; null if the reaction is enough."""
    source: SourceRecord | None = None
    """Where the reaction comes from; null if unknown."""
    confidence: Share | UnsetType = UNSET
    """Confidence of the least confident fact of the reaction that the claim rests on; absent if unknown."""
    spans: list[TextSpan] | UnsetType = UNSET
    """Where the procedure text states these facts; absent without a confidence."""


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A claim with what the graph says of it, why, and the reactions that show it.

    The verdict is ``SUPPORTED`` where the graph holds the claim. ``CONTRADICTED`` where it holds what
    excludes it: another role of the molecule in that reaction, another yield. ``UNCERTAIN`` where it cannot
    say: a valid SMILES that it does not know, a yield within the tolerance. Else ``UNSUPPORTED``.

    Attributes:
        confidence: That of the least confident fact that it rests on, from 0 to 1; None where there is none,
            or no confidence is known.
        doubted: Whether the graph holds the claim, but with less confidence than is asked for.
        traced: Whether procedure texts state each fact that it rests on; None where no evidence of the graph
            is at hand.
    """

    claim: Claim
    verdict: Verdict
    reason: str
    evidence: tuple[ClaimEvidence, ...] = ()
    confidence: float | None = None
    doubted: bool = False
    traced: bool | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the claim, its verdict and the evidence as they stand in a record."""
        return {
            **self.claim.to_json(),
            "verdict": self.verdict,
            "reason": self.reason,
            "evidence": to_builtins(self.evidence),
            **({} if self.confidence is None else {"confidence": self.confidence}),
            **({} if self.traced is None else {"traced": self.traced}),
        }


@dataclass(frozen=True, slots=True)
class Unread:
    """A sentence of an answer that is not read whole: its number from 1, its text, and what is left."""

    sentence: int
    text: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer says of the graph.

    Attributes:
        claims: Its claims in the order of the text, each once.
        routes: The chains of reactions it names, first step first.
        reactions: The reactions it names, other than to say that they are not meant.
        unread: Sentences that hold more than their claims say.
        whole: Whether all of the answer was read; False where it is longer than what is.
        worded: Of the claims, those on molecules that the answer gives by a common name alone.
    """

    claims: tuple[Claim, ...] = ()
    routes: tuple[tuple[int, ...], ...] = ()
    reactions: tuple[int, ...] = ()
    unread: tuple[Unread, ...] = ()
    whole: bool = True
    worded: frozenset[Claim] = frozenset()
