"""The verdict on an answer, from what it must be about and the verdicts on its claims."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import get_args

from msgspec import Struct

from retrocypher.kg.claims.claim import (
    ROLE_PREDICATES,
    VERDICTS,
    Claim,
    Predicate,
    Reading,
    Verdict,
    VerifiedClaim,
)
from retrocypher.kg.claims.coverage import Asked, called_intermediates
from retrocypher.kg.claims.extracted import AnyEntry, reading_of
from retrocypher.kg.claims.reader import read_answer
from retrocypher.kg.claims.sentences import Sentences, sentences_of
from retrocypher.kg.claims.verification import Verifier
from retrocypher.plugins.runs.record import JsonValue, fields_of
from retrocypher.plugins.runs.written_answer import OverallVerdict, Thresholds
from retrocypher.plugins.scoring.required import (
    COUNTED_ALONG,
    OF_REACTIONS,
    Requirements,
    is_loosely_denied,
    requirements_of,
)

_LOOSELY_SAID = ("SAME_MOLECULES", "SHARES", "IS")
"""Claims that one may mean in another way, such as *the same reactants* for the main ones."""

ANSWER_VERDICTS: tuple[OverallVerdict, ...] = get_args(OverallVerdict)


class AnswerVerdict(Struct, frozen=True):
    """What the graph says of an answer."""

    verdict: OverallVerdict
    """``VERIFIED``, ``PARTIALLY_VERIFIED``, ``REFUTED`` or ``UNVERIFIABLE``; see `overall`."""
    support: float | None
    """Share of the claims that are supported; None without a claim."""
    claims: tuple[VerifiedClaim, ...]
    """The claims of the answer, and those that must hold for it to answer its question."""
    shortcomings: tuple[str, ...] = ()
    """Why it does not answer its question, one sentence each."""
    thresholds: Thresholds = Thresholds()

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many claims have each verdict."""
        return {name: sum(each.verdict == name for each in self.claims) for name in VERDICTS}

    def to_json(self) -> dict[str, JsonValue]:
        """Return the verdict for JSON."""
        return {
            **fields_of(self),
            "counts": self.counts,
            "shortcomings": list(self.shortcomings),
            "thresholds": fields_of(self.thresholds),
            "claims": [each.to_json() for each in self.claims],
        }


def overall(
    claims: Sequence[VerifiedClaim],
    shortcomings: Sequence[str],
    thresholds: Thresholds,
    unread: Collection[int | None] = (),
    fits: Collection[Claim] = (),
    unsure: Collection[Claim] = (),
) -> AnswerVerdict:
    """Return the verdict on an answer.

    ``REFUTED``: sentences that are read whole make more false claims than `Thresholds.false_claims`; never by
    claims that rules found.
    ``VERIFIED``: enough claims are supported, no more than that are false, and there are no shortcomings.
    ``PARTIALLY_VERIFIED``: a smaller share of claims is supported, or there are shortcomings, but no more
    claims are false, not even in sentences that are not read whole. ``UNVERIFIABLE``: all else.

    Args:
        unread: The sentences that are not read whole. What they seem to claim may be misread, so it keeps an
            answer from being verified, but does not refute it.
        fits: What the question asks of reactions that counts as claims of the answer, too.
        unsure: Claims whose meaning was taken from the question, or whose molecule has no SMILES; they do not
            refute an answer.
    """
    support = support_of(claims)
    false = [each for each in claims if is_false(each)]
    sure = [
        each
        for each in false
        if each.claim not in unsure
        and (each.claim in fits if each.claim.origin == "question" else each.claim.sentence not in unread)
    ]

    def verdict() -> OverallVerdict:
        if support is None:
            return "UNVERIFIABLE"
        if len(sure) > thresholds.false_claims:
            return "REFUTED"
        few = len(false) <= thresholds.false_claims
        if support >= thresholds.verified and few and not shortcomings:
            return "VERIFIED"
        return "PARTIALLY_VERIFIED" if support >= thresholds.partial and few else "UNVERIFIABLE"

    return AnswerVerdict(verdict(), support, tuple(claims), tuple(shortcomings), thresholds)


def support_of(claims: Sequence[VerifiedClaim]) -> float | None:
    """Return the share of claims that are supported; None without a claim."""
    return sum(each.verdict == "SUPPORTED" for each in claims) / len(claims) if claims else None


def is_false(found: VerifiedClaim) -> bool:
    """Whether the graph does not hold a claim, as far as it can know: it knows all of its reactions."""
    if found.doubted:
        return False
    if found.verdict == "UNCERTAIN":
        of_known = bool(found.claim.reactions) or found.claim.product is not None
        return found.claim.predicate not in ("YIELD", "COUNT", "HIGHER_YIELD") and of_known
    return found.verdict != "SUPPORTED"


def judge_answer(
    question: str,
    answer: str,
    verifier: Verifier,
    thresholds: Thresholds | None = None,
    entries: Sequence[AnyEntry] | None = None,
) -> AnswerVerdict:
    """Check the claims of an answer, and what its question asks for; raise GraphError if the graph fails.

    As far as its words tell, the reactions named must make the molecule asked about, routes must have the
    number of steps, target and start asked for, and a yield called the best must be the best. Completeness is
    not checked.

    Args:
        entries: Its claims as an extractor lists them; None to read them by rules.
    """
    required = requirements_of(question)
    asked = Asked(required.known, required.target, required.start, required.asked.steps)
    sentences = sentences_of(answer)
    if entries is None:
        reading = read_answer(sentences, asked, routes=required.routes)
    else:
        reading = reading_of(entries, sentences, asked)
    stated = reading.claims if entries is None else _without_own_counts(reading.claims, required)
    # What one sentence only lists has the part that another one tells.
    listed = {
        each
        for each in stated
        if entries is not None
        and each.predicate == "TAKES_PART_IN"
        and not each.reactions
        and _with_a_part(stated).issuperset(each.molecules)
    }
    said = [
        claim if claim in listed else required.completed(claim)
        for claim in stated
        if not _is_named(claim, required.known)
    ]
    implied = [claim for claim in required.claims(reading) if claim not in said]
    claims: list[Claim] = [*dict.fromkeys(said), *implied]
    verified = _or_of_molecules(verifier.verify(claims), stated, required, verifier)
    short = required.shortcomings(reading, claims)
    short += [f"Not known: {each.reason}." for each in verified if _is_open(each)]
    if required.asked.intent == "intermediates":
        called = {name for each in sentences.all for name in called_intermediates(each.tokens)}
        short += [
            f"A molecule of the question is no intermediate: {name}." for name in called & required.known
        ]
    short += _disorder(sentences, reading)
    # "No reaction makes A" may speak of all reactions, or only of those that are asked about.
    denied = [each for each in stated if is_loosely_denied(each) and required.completed(each) != each]
    short += [
        f"Not clear of which reactions {each.claim.predicate} is denied of {each.claim.molecules[0]}."
        for each in verifier.verify(denied)
        if each.verdict != "SUPPORTED"
    ]
    if entries is None:
        # Rules misread one in eight true answers of forms that they were not made for, so they never refute.
        return overall(verified, short, thresholds or Thresholds(), {each.sentence for each in claims})
    unread = {each.sentence for each in reading.unread}
    # Of a reaction whose product the answer tells itself, it does not say that it makes what is asked for.
    told = {each.subject for each in said if each.predicate == "PRODUCES"}
    fits = [] if required.routes or reading.unread else [each for each in implied if each.subject not in told]
    # "Two reactions" may be those of the answer, and a precursor one of fewer steps.
    unsure = [done for each in reading.claims if (done := required.completed(each)) != each]
    unsure += reading.worded
    # "In three reactions" may mean those of the answer.
    unsure += [each for each in reading.claims if _counts_in_all(each)]
    unsure += [each for each in reading.claims if each.predicate in _LOOSELY_SAID]
    return overall(verified, short, thresholds or Thresholds(), unread, fits, unsure)


def _counts_in_all(claim: Claim) -> bool:
    """Whether it counts reactions of all kinds in which a molecule has a role other than product."""
    return (
        claim.predicate == "COUNT"
        and isinstance(claim.subject, str)
        and claim.product is None
        and claim.role in ("REACTS_IN", "USES_AGENT", "USES_SOLVENT")
    )


def _with_a_part(claims: Sequence[Claim]) -> set[str]:
    """Return the molecules of which claims say in which reaction they have which role."""
    return {
        name
        for each in claims
        if each.predicate in ROLE_PREDICATES and each.reactions and not each.negated
        for name in each.molecules
    }


def _disorder(sentences: Sentences, reading: Reading) -> Iterator[str]:
    """Yield where a numbered list has what reactions of a route make in another order than the route."""
    numbered = {each.number for each in sentences.all if each.kind == "numbered"}
    made: dict[int | None, set[int]] = {}
    for claim in reading.claims:
        if claim.predicate == "PRODUCES" and claim.sentence in numbered:
            made.setdefault(claim.sentence, set()).update(claim.reactions)
    for one, other in pairwise(sorted(numbered)):
        orders = {
            route.index(first) < route.index(second)
            for route in reading.routes
            for first, second in product(made.get(one, ()), made.get(other, ()))
            if other == one + 1 and first != second and {first, second} <= {*route}
        }
        if orders == {False}:
            yield f"A numbered list is in another order than the steps of a route: {one}, {other}."


def _or_of_molecules(
    verified: list[VerifiedClaim], stated: Sequence[Claim], required: Requirements, verifier: Verifier
) -> list[VerifiedClaim]:
    """Take a false count of routes that does not say what it counts for one of the molecules asked about."""
    role = COUNTED_ALONG.get(required.asked.intent or "")
    bare = {required.completed(claim) for claim in stated if _is_bare_count(claim)} if role else set()
    found = [each for each in verified if each.verdict != "SUPPORTED" and each.claim in bare]
    again = verifier.verify([replace(each.claim, role=role) for each in found]) if found else []
    better = {
        each.claim: other for each, other in zip(found, again, strict=True) if other.verdict == "SUPPORTED"
    }
    return [better.get(each.claim, each) for each in verified]


def _without_own_counts(claims: Sequence[Claim], required: Requirements) -> list[Claim]:
    """Leave out counts of molecules of routes that are as many as are named, and of steps as asked for."""
    if not required.routes:
        return list(claims)
    named: dict[Predicate, set[str]] = {}
    for claim in claims if required.asked.intent not in OF_REACTIONS else ():
        named.setdefault(claim.predicate, set()).update(set(claim.molecules) - required.known)
    own = {required.asked.steps, *map(len, named.values())}
    # "One intermediate in each route" of two steps.
    between = (None, "PRODUCES", (required.asked.steps or 0) - 1)
    return [
        claim
        for claim in claims
        if not (_is_bare_count(claim) and claim.object and claim.object in own)
        and not (claim.predicate == "COUNT" and (claim.subject, claim.role, claim.object) == between)
    ]


def _is_bare_count(claim: Claim) -> bool:
    """Whether a count does not say what it counts."""
    return claim.predicate == "COUNT" and claim.subject is claim.product is None and claim.role is None


def _is_open(found: VerifiedClaim) -> bool:
    """Whether a claim cannot be compared with the graph, or a range of yields is wider."""
    claim = found.claim
    of_range = claim.subject is None and claim.low is not None
    of_all = (
        of_range
        or not (claim.reactions or claim.molecules)
        or claim.predicate in ("COUNT", "PRECURSOR_OF", "HIGHER_YIELD")
    )
    return of_all and found.verdict == "UNCERTAIN" and not found.doubted


def _is_named(claim: Claim, known: Collection[str]) -> bool:
    """Whether a claim only names a molecule of the question."""
    return claim.predicate == "TAKES_PART_IN" and not claim.reactions and claim.subject in known
