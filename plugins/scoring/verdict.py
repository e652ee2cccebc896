"""The verdict on an answer, from those on its claims."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from retrocypher.kg.claims.claim import VERDICTS, Claim, VerifiedClaim
from retrocypher.kg.claims.reader import read_answer
from retrocypher.kg.claims.verification import Verifier
from retrocypher.plugins.scoring.answer_requirements import requirements_of

Overall = Literal["VERIFIED", "PARTIALLY_VERIFIED", "REFUTED", "UNVERIFIABLE"]
ANSWER_VERDICTS: tuple[Overall, ...] = get_args(Overall)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where verdicts begin.

    Attributes:
        verified: Least share of supported claims of a ``VERIFIED`` answer.
        partial: Least share of a ``PARTIALLY_VERIFIED`` one.
        false_claims: Most claims of a ``VERIFIED`` answer that the graph does not hold: unsupported,
            contradicted, or on a molecule it does not know in a reaction that it does, by its id or by what
            it makes.
    """

    verified: float = 0.9
    partial: float = 0.7
    false_claims: int = 0


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """What the graph says of an answer.

    Attributes:
        verdict: ``VERIFIED``, ``PARTIALLY_VERIFIED``, ``REFUTED`` (too little support, and a claim is
            contradicted) or ``UNVERIFIABLE`` (too little support, or nothing was claimed).
        support: Share of the claims that are supported, None where there are none.
        claims: The claims: those of the answer, and those that must hold for it to be one to its question.
        shortcomings: Why it is no answer to its question, one sentence each.
        thresholds: Where the verdicts begin.
    """

    verdict: Overall
    support: float | None
    claims: tuple[VerifiedClaim, ...]
    shortcomings: tuple[str, ...] = ()
    thresholds: Thresholds = Thresholds()

    @property
    def counts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        return {name: sum(each.verdict == name for each in self.claims) for name in VERDICTS}

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as it stands in a record."""
        return {
            "verdict": self.verdict,
            "support": self.support,
            "counts": self.counts,
            "shortcomings": list(self.shortcomings),
            "thresholds": asdict(self.thresholds),
            "claims": [each.to_json() for each in self.claims],
        }


def overall(
    claims: Sequence[VerifiedClaim], shortcomings: Sequence[str], thresholds: Thresholds
) -> AnswerVerdict:
    """Return the verdict on an answer.

    An answer of which each claim holds, but which falls short of its question, is partially verified.
    """
    supported = sum(each.verdict == "SUPPORTED" for each in claims)
    support = supported / len(claims) if claims else None
    false = sum(is_false(each) for each in claims)

    def verdict() -> Overall:
        if support is None:
            return "UNVERIFIABLE"
        if support >= thresholds.verified and false <= thresholds.false_claims and not shortcomings:
            return "VERIFIED"
        if support >= thresholds.partial:
            return "PARTIALLY_VERIFIED"
        contradicted = any(each.verdict == "CONTRADICTED" for each in claims)
        return "REFUTED" if contradicted else "UNVERIFIABLE"

    return AnswerVerdict(verdict(), support, tuple(claims), tuple(shortcomings), thresholds)


def is_false(found: VerifiedClaim) -> bool:
    """Whether the graph does not hold a claim, as far as it can know: it knows all of its reactions."""
    if found.verdict == "UNCERTAIN":
        of_known = bool(found.claim.reactions) or found.claim.product is not None
        return found.claim.predicate != "YIELD" and of_known
    return found.verdict != "SUPPORTED"


def judge_answer(
    question: str, answer: str, verifier: Verifier, thresholds: Thresholds | None = None
) -> AnswerVerdict:
    """Read the claims of an answer, look them up in the graph, and say what that makes of the answer.

    What the question asks is checked with them as far as it can be told from its words: that the reactions
    named make the molecule asked about, that routes have as many steps as asked, end at the target and begin
    at the start, that a yield called the best is the best. It is not checked that the answer is complete.

    Args:
        question: The question, empty where there is none.
        thresholds: Where verdicts begin; those of `Thresholds` where absent.

    Raises:
        GraphError: The server cannot be read.
    """
    required = requirements_of(question)
    reading = read_answer(answer, required.target, required.known, routes=required.routes)
    said = required.completed(list(reading.claims))
    implied = [claim for claim in required.claims(reading) if claim not in said]
    claims: list[Claim] = [*dict.fromkeys(said), *implied]
    short = required.shortcomings(reading, claims)
    return overall(verifier.verify(claims), short, thresholds or Thresholds())
