"""What an answer must be about, and the verdict on it from those on its claims."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import get_args

from msgspec import Struct

from retrocypher.kg.claims.claim import (
    ROLE_PREDICATES,
    VERDICTS,
    Claim,
    Predicate,
    Reading,
    Term,
    Verdict,
    VerifiedClaim,
)
from retrocypher.kg.claims.coverage import Asked, called_intermediates
from retrocypher.kg.claims.extracted import AnyEntry, reading_of
from retrocypher.kg.claims.reader import read_answer
from retrocypher.kg.claims.sentences import Sentences, sentences_of
from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.graph.molecules import canonical_name
from retrocypher.kg.questions.question import MULTI_STEP_TASKS
from retrocypher.plugins.runs.record import JsonValue, fields_of
from retrocypher.plugins.runs.written_answer import OverallVerdict, Thresholds
from retrocypher.prompts.validation.finding import QuestionIntent
from retrocypher.prompts.validation.question import read_question

_OF_REACTIONS = frozenset(
    {"producing_reactions", "best_yield", "multi_product", "chains_to_target", "chains_between"}
)
_LOOSELY_SAID = ("SAME_MOLECULES", "SHARES", "IS")
"""Claims that one may mean in another way, such as *the same reactants* for the main ones."""
_OF_A_MOLECULE = (*ROLE_PREDICATES, "TAKES_PART_IN")
_COUNTED_ALONG: dict[str, Predicate] = {"multi_step_precursors": "REACTS_IN", "intermediates": "PRODUCES"}
"""What an answer to these may count besides routes."""
_COMPONENTS: dict[str, Predicate] = {"agents": "USES_AGENT", "solvents": "USES_SOLVENT"}


@dataclass(frozen=True, slots=True)
class Requirements:
    """What an answer must be about.

    Attributes:
        target: The molecule that is made; None if the question names none or several.
        products: All molecules that one reaction must make.
        start: The molecule that routes start from; None if the question names none.
        known: All molecules of the question.
    """

    asked: QuestionIntent
    target: str | None = None
    products: tuple[str, ...] = ()
    start: str | None = None
    known: frozenset[str] = frozenset()

    @property
    def routes(self) -> bool:
        """Whether chains of several reactions are asked for."""
        return self.asked.intent in MULTI_STEP_TASKS

    def claims(self, reading: Reading) -> list[Claim]:
        """Return what must hold of the reactions that an answer names.

        Each reaction, of a route the last one, must make what is asked for; a route must begin at the start.
        If no reaction is called the best, the first one named must have the best yield.
        """
        if self.asked.intent is None:
            return []
        if self.routes:
            return self._of_routes(reading)
        made: dict[Term, set[Term]] = {}
        for each in reading.claims:
            if each.predicate == "PRODUCES" and each.reactions and not each.negated:
                made.setdefault(each.subject, set()).add(each.object)
        # A reaction of which the answer says what else it makes is an aside, if another one is the answer.
        meant = [each for each in reading.reactions if made.get(each, set()).intersection(self.products)]
        asides = {each for each, names in made.items() if meant and not names.intersection(self.products)}
        claims = [
            _required(number, "PRODUCES", name)
            for number in reading.reactions
            if number not in asides
            for name in self.products
        ]
        if self.asked.intent == "best_yield" and self.target is not None:
            said = [each for each in reading.claims if each.predicate == "BEST_YIELD"]
            first = [] if said else reading.reactions[:1]
            claims += [_required(number, "BEST_YIELD", self.target) for number in first]
        return claims

    def _of_routes(self, reading: Reading) -> list[Claim]:
        claims: dict[Claim, None] = {}
        for route in self._chains(reading):
            if self.target is not None:
                claims.setdefault(_required(route[-1], "PRODUCES", self.target))
            if self.start is not None:
                claims.setdefault(Claim(self.start, "REACTS_IN", route[0], origin="question"))
        return list(claims)

    def _chains(self, reading: Reading) -> list[tuple[int, ...]]:
        """The routes of an answer; a reaction outside of all of them is one of a single step."""
        inside = {number for route in reading.routes for number in route}
        return [*reading.routes, *((number,) for number in reading.reactions if number not in inside)]

    def completed(self, claim: Claim) -> Claim:
        """Return a claim with what the question adds: which reactions are meant if none is named."""
        intent = self.asked.intent
        if claim.predicate == "COUNT" and intent is not None:
            return self._counted(claim)
        if intent is None or self.target is None:
            return claim
        if claim.predicate == "BEST_YIELD" and claim.object is None:
            return replace(claim, object=self.target)
        if claim.predicate == "PRECURSOR_OF":
            steps = claim.steps or (self.asked.steps if self.routes else None)
            return replace(claim, object=claim.object or self.target, steps=steps)
        if claim.reactions:
            return claim
        name = claim.subject if claim.predicate in ("REACTS_IN", "TAKES_PART_IN") else claim.object
        if (
            not isinstance(name, str)
            or name == self.target
            or claim.predicate not in (*ROLE_PREDICATES, "TAKES_PART_IN")
        ):
            return claim
        if self.routes:
            return self._within_routes(claim, name)
        predicate = claim.predicate if claim.predicate != "TAKES_PART_IN" else self._role_asked()
        reacts = predicate in ("REACTS_IN", "TAKES_PART_IN")
        return Claim(
            name if reacts else None,
            predicate,
            None if reacts else name,
            product=claim.product if predicate != "PRODUCES" and claim.product else self.target,
            negated=claim.negated,
            sentence=claim.sentence,
        )

    def _counted(self, claim: Claim) -> Claim:
        """Complete a count where an answer leaves it to the question, such as ``7 reactions``."""
        if claim.reactions:
            return claim
        along = _COUNTED_ALONG.get(self.asked.intent or "")
        role = claim.role or ("LEADS_TO" if self.routes else "PRODUCES")
        if role == "LEADS_TO" or (self.routes and role == along and claim.subject is None):
            start = claim.subject or (self.start if self.asked.intent == "chains_between" else None)
            return replace(
                claim,
                subject=start,
                role=role,
                product=claim.product or self.target,
                steps=claim.steps or self.asked.steps,
            )
        if claim.subject is not None or self.routes:
            return claim
        if role == "PRODUCES" and claim.product is None:
            more = self.products[1] if len(self.products) == 2 else None
            first = self.products[0] if self.products else self.target
            many = len(self.products) > 2
            return claim if many else replace(claim, subject=first, role=role, product=more)
        return replace(claim, product=claim.product or self.target)

    def _within_routes(self, claim: Claim, name: str) -> Claim:
        """A molecule that an answer names for a route without naming reactions."""
        steps = self.asked.steps
        precursors = self.asked.intent == "multi_step_precursors"
        direct = claim.product is not None and claim.product != self.target
        if not precursors or steps is None or direct or claim.predicate not in ("REACTS_IN", "TAKES_PART_IN"):
            return claim
        return Claim(
            name,
            "PRECURSOR_OF",
            self.target,
            steps=steps,
            negated=claim.negated,
            sentence=claim.sentence,
        )

    def _role_asked(self) -> Predicate:
        if self.asked.intent == "precursors":
            return "REACTS_IN"
        if self.asked.intent in ("co_products", "multi_product"):
            return "PRODUCES"
        if self.asked.intent == "conditions" and len(self.asked.components) == 1:
            return _COMPONENTS[next(iter(self.asked.components))]
        return "TAKES_PART_IN"

    def shortcomings(self, reading: Reading, claims: list[Claim]) -> list[str]:
        """Return why an answer is none to the question, whatever holds of its claims."""
        asked = self.asked
        found: list[str] = []
        if not reading.whole:
            found.append("The answer is too long to be read whole.")
        found += [
            f"Not read: {', '.join(each.parts[:5])} in \u201c{_cut(each.text)}\u201d."
            for each in reading.unread
        ]
        found += self._unclear(claims)
        if asked.intent is None:
            return found
        if self.routes and asked.steps is not None:
            wrong = [each for each in self._chains(reading) if len(each) != asked.steps]
            if wrong:
                listed = ", ".join(" → ".join(map(str, each)) for each in wrong[:3])
                found.append(f"The question asks for {asked.steps} steps; of another number: {listed}.")
        best = [each.negated for each in claims if each.predicate == "BEST_YIELD"]
        if asked.intent == "best_yield" and best and all(best):
            found.append("The question asks for the best yield, and no reaction is said to have it.")
        if asked.intent in _OF_REACTIONS and claims and not reading.reactions:
            found.append("The question asks for reactions, and none is named.")
        wanted = self._wanted()
        if (
            wanted
            and claims
            and not any(claim.predicate in wanted and self._about(claim) for claim in claims)
        ):
            found.append(f"Nothing is said of what is asked for: {' or '.join(wanted)}.")
        return found

    def _unclear(self, claims: list[Claim]) -> list[str]:
        """Claims that leave open what they are about."""
        if not claims:
            return ["Nothing can be looked up: no sentence that is read has a SMILES or a reaction's id."]
        if self.asked.intent is None:
            return []
        loose = ((claim.predicate, name) for claim in claims if _is_loose(claim) for name in claim.molecules)
        # What another sentence says of them: in which reaction they have the part that is asked for.
        part = "PRODUCES" if self.asked.intent == "intermediates" else self._role_asked()
        told = {
            (claim.predicate, name)
            for claim in claims
            if claim.reactions and not claim.negated
            for name in claim.molecules
        }
        clear = {name for predicate, name in told if part in (predicate, "TAKES_PART_IN")}
        unclear = dict.fromkeys(
            name
            for predicate, name in loose
            if name not in self.known
            and (predicate, name) not in told
            and (predicate != "TAKES_PART_IN" or name not in clear)
        )
        if not unclear:
            return []
        return [
            f"Not clear in which reaction these molecules have which part: {', '.join(list(unclear)[:3])}."
        ]

    def _wanted(self) -> tuple[Predicate, ...]:
        """Claims of which an answer must have one."""
        if self.asked.intent == "precursors":
            return ("REACTS_IN",)
        if self.asked.intent == "conditions":
            return tuple(_COMPONENTS[name] for name in sorted(self.asked.components))
        if self.asked.intent == "co_products":
            return ("PRODUCES",)
        return ()

    def _about(self, claim: Claim) -> bool:
        return self.asked.intent != "co_products" or claim.object != self.target


def requirements_of(question: str) -> Requirements:
    """Read from a question what its answer must be about; nothing is required if that is unclear."""
    asked = read_question(question)
    names = {each.name: canonical_name(each.name) or each.name for each in asked.molecules}
    targets = [names[each.name] for each in asked.molecules if each.role == "target"]
    products = [names[each.name] for each in asked.molecules if each.role == "product"]
    starts = [names[each.name] for each in asked.molecules if each.role == "start"]
    target = targets[0] if len(targets) == 1 else None
    lone = next(iter(names.values())) if len(names) == 1 else None
    return Requirements(
        asked,
        target or lone,
        tuple(products) or ((target,) if target else ()),
        starts[0] if len(starts) == 1 else None,
        frozenset(names.values()),
    )


def _is_loose(claim: Claim) -> bool:
    """Whether all it says of a molecule is that some reaction of the graph holds it."""
    return not (claim.reactions or claim.product or claim.negated or claim.predicate not in _OF_A_MOLECULE)


def _is_loosely_denied(claim: Claim) -> bool:
    """Whether it denies that a molecule has a role, and does not say in which reactions."""
    of_all = not (claim.reactions or claim.product) and bool(claim.molecules)
    return claim.negated and of_all and claim.predicate in _OF_A_MOLECULE


_LONGEST_QUOTE = 160


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"


def _required(number: int, predicate: Predicate, name: str) -> Claim:
    return Claim(number, predicate, name, origin="question")


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
    denied = [each for each in stated if _is_loosely_denied(each) and required.completed(each) != each]
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
    role = _COUNTED_ALONG.get(required.asked.intent or "")
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
    for claim in claims if required.asked.intent not in _OF_REACTIONS else ():
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
