"""Checking claims against what the graph holds: roles, links, chains, yields and best reactions."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from msgspec import structs

from retrocypher.kg.claims.claim import (
    COMPARISONS,
    ROLE_PREDICATES,
    Claim,
    ClaimEvidence,
    Predicate,
    SourceRecord,
    TextSpan,
    Verdict,
    VerifiedClaim,
)
from retrocypher.kg.claims.facts import (
    MOST_ROUTES,
    MOST_STEPS,
    Ask,
    Facts,
    KnownReaction,
    ends_of,
    gather,
    pairs_of,
)
from retrocypher.kg.evidence.evidence import Fact, facts_of
from retrocypher.kg.evidence.lookup import GraphEvidence

_NAMES: Mapping[Predicate, str] = {
    "REACTS_IN": "a reactant",
    "PRODUCES": "a product",
    "USES_AGENT": "an agent",
    "USES_SOLVENT": "a solvent",
    "TAKES_PART_IN": "an agent or solvent",
}


def by_role(claim: Claim, facts: Facts) -> VerifiedClaim:
    """Judge ``REACTS_IN``, ``PRODUCES``, ``USES_AGENT``, ``USES_SOLVENT`` or ``TAKES_PART_IN``."""
    if claim.reactions:
        return _named(claim, claim.reactions[0], facts)
    return _unnamed(claim, facts)


def _molecule(claim: Claim) -> str | None:
    end = claim.subject if claim.predicate in ("REACTS_IN", "TAKES_PART_IN") else claim.object
    return end if isinstance(end, str) else None


def _named(claim: Claim, number: int, facts: Facts) -> VerifiedClaim:
    known = facts.reactions.get(number)
    if known is None:
        return VerifiedClaim(claim, "UNSUPPORTED", f"the graph has no reaction {number}")
    molecule = _molecule(claim)
    said = claim.predicate
    if molecule is None:
        # "No conditions are recorded" speaks of agents and solvents.
        return _any(claim, number, any(known.roles[each] for each in _meant(claim)))
    role = known.role_of(molecule)
    evidence = (ClaimEvidence(number, role),)
    if role is not None and said in (role, "TAKES_PART_IN"):
        told = f"it is {_NAMES[role]} of reaction {number}"
        return VerifiedClaim(claim, *_so(claim.negated, told), evidence)
    if claim.negated:
        reason = f"reaction {number} does not have it" + ("" if role is None else " in that role")
        return VerifiedClaim(claim, "SUPPORTED", reason, evidence)
    if role is not None:
        reason = f"it is {_NAMES[role]} of reaction {number}, not {_NAMES[said]}"
        return VerifiedClaim(claim, "CONTRADICTED", reason, evidence)
    if molecule not in facts.molecules:
        return VerifiedClaim(claim, "UNCERTAIN", "the graph does not know the molecule")
    return VerifiedClaim(claim, "UNSUPPORTED", f"it has no part in reaction {number}", evidence)


def _meant(claim: Claim) -> tuple[Predicate, ...]:
    """The roles that a claim on any molecule is about."""
    return ("USES_AGENT", "USES_SOLVENT") if claim.predicate == "TAKES_PART_IN" else (claim.predicate,)


def _any(claim: Claim, number: int, has_some: bool) -> VerifiedClaim:
    """Judge a claim on any molecule in a role: that there is one, or that there is none."""
    name = _NAMES[claim.predicate]
    told = (
        f"reaction {number} has {name}" if has_some else f"reaction {number} has no {name.partition(' ')[2]}"
    )
    verdict: Verdict = "SUPPORTED" if has_some != claim.negated else "CONTRADICTED"
    return VerifiedClaim(claim, verdict, told, (ClaimEvidence(number),))


def _unnamed(claim: Claim, facts: Facts) -> VerifiedClaim:
    molecule = _molecule(claim)
    if molecule is None:
        return VerifiedClaim(claim, "UNCERTAIN", "it names neither a reaction nor a molecule")
    for name in claim.molecules:
        if name not in facts.molecules:
            return VerifiedClaim(claim, "UNCERTAIN", "the graph does not know the molecule")
    said = claim.predicate
    of = f" that makes {claim.product}" if claim.product else ""
    wanted = ROLE_PREDICATES if said == "TAKES_PART_IN" else (said,)
    for role in wanted:
        found = _held(claim, role, facts)
        if found:
            evidence = tuple(ClaimEvidence(number, role) for number in found)
            told = f"it is {_NAMES[role]} of a reaction{of}"
            return VerifiedClaim(claim, *_so(claim.negated, told), evidence)
    verdict: Verdict = "SUPPORTED" if claim.negated else "UNSUPPORTED"
    return VerifiedClaim(claim, verdict, f"no reaction{of} has it in that role")


def _held(claim: Claim, role: Predicate, facts: Facts) -> list[int]:
    return [number for pair in pairs_of(claim, role) for number in facts.held.get((role, pair), [])]


def _so(negated: bool, told: str) -> tuple[Verdict, str]:
    """The verdict on a claim where the graph holds what it speaks of, and why."""
    return ("CONTRADICTED" if negated else "SUPPORTED"), told


def by_link(claim: Claim, facts: Facts) -> VerifiedClaim:
    """Judge ``LEADS_TO``: that something the first reaction makes reacts in the second."""
    for number in claim.reactions:
        if number not in facts.reactions:
            return VerifiedClaim(claim, "UNSUPPORTED", f"the graph has no reaction {number}")
    if len(claim.reactions) != 2:
        return VerifiedClaim(claim, "UNSUPPORTED", "it does not name two reactions")
    first, second = claim.reactions
    made = facts.reactions[first].roles["PRODUCES"]
    links = sorted(made & facts.reactions[second].roles["REACTS_IN"])
    if links:
        evidence = (ClaimEvidence(first, links[0]), ClaimEvidence(second, links[0]))
        told = f"{links[0]} is made by {first} and reacts in {second}"
        return VerifiedClaim(claim, *_so(claim.negated, told), evidence)
    reason = f"nothing that reaction {first} makes reacts in reaction {second}"
    if claim.negated:
        return VerifiedClaim(claim, "SUPPORTED", reason)
    back = facts.reactions[second].roles["PRODUCES"] & facts.reactions[first].roles["REACTS_IN"]
    if back:
        return VerifiedClaim(claim, "CONTRADICTED", f"reaction {second} leads to {first}, not the reverse")
    return VerifiedClaim(claim, "UNSUPPORTED", reason)


def by_chain(claim: Claim, facts: Facts) -> VerifiedClaim:
    """Judge ``PRECURSOR_OF``: that a chain of so many reactions leads from one molecule to the other."""
    for name in claim.molecules:
        if name not in facts.molecules:
            return VerifiedClaim(claim, "UNCERTAIN", "the graph does not know the molecule")
    steps = claim.steps or 1
    if steps > MOST_STEPS:
        return VerifiedClaim(
            claim, "UNCERTAIN", f"chains of more than {MOST_STEPS} reactions are not looked for"
        )
    found = facts.chains.get((str(claim.subject), str(claim.object), steps))
    if found:
        evidence = tuple(ClaimEvidence(number) for number in found)
        return VerifiedClaim(
            claim, *_so(claim.negated, f"a chain of {steps} reactions leads to it"), evidence
        )
    reason = f"no chain of {steps} reactions leads to it"
    return VerifiedClaim(claim, "SUPPORTED" if claim.negated else "UNSUPPORTED", reason)


def by_yield(claim: Claim, facts: Facts, same: float, near: float) -> VerifiedClaim:
    """Judge ``YIELD``: by the yield of the product, or by any of the reaction where no product is named."""
    value = claim.object if isinstance(claim.object, (int, float)) else None
    known = _known(claim, facts)
    if isinstance(known, str):
        return VerifiedClaim(claim, "SUPPORTED" if claim.negated else "UNSUPPORTED", known)
    if value is None:
        told = f"the yield is {known[0][1]:g} %"
        return VerifiedClaim(claim, *_so(claim.negated, told), (ClaimEvidence(*known[0]),))
    if claim.subject is None and claim.low is not None:
        return _by_range(claim, known, claim.low, value, same)
    low = value if claim.low is None else claim.low
    if claim.share and any(_outside(each[1], 100 * low, 100 * value) <= near for each in known):
        low, value = 100 * low, 100 * value
    number, found = min(known, key=lambda each: _outside(each[1], low, value))
    evidence = (ClaimEvidence(number, found),)
    distance = _outside(found, low, value)
    told = f"the yield is {found:g} %"
    if distance <= same:
        return VerifiedClaim(claim, *_so(claim.negated, told), evidence)
    if claim.negated:
        return VerifiedClaim(claim, "SUPPORTED", told, evidence)
    if distance <= near:
        return VerifiedClaim(claim, "UNCERTAIN", f"{told}, which is near", evidence)
    return VerifiedClaim(claim, "CONTRADICTED", told, evidence)


def _by_range(
    claim: Claim, known: list[tuple[int, float]], low: float, high: float, same: float
) -> VerifiedClaim:
    """Judge the range of all yields of a product: from the lowest that is known to the highest."""
    ends = min(known, key=lambda each: each[1]), max(known, key=lambda each: each[1])
    evidence = tuple(ClaimEvidence(*end) for end in dict.fromkeys(ends))
    told = f"the yields go from {ends[0][1]:g} to {ends[1][1]:g} %"
    if max(abs(ends[0][1] - low), abs(ends[1][1] - high)) <= same:
        return VerifiedClaim(claim, *_so(claim.negated, told), evidence)
    if claim.negated:
        return VerifiedClaim(claim, "SUPPORTED", told, evidence)
    within = all(_outside(value, low, high) <= same for _, value in known)
    return VerifiedClaim(claim, "UNCERTAIN" if within else "CONTRADICTED", told, evidence)


def _outside(found: float, low: float, high: float) -> float:
    """How far a yield is from a number or a range, in percentage points."""
    return max(low - found, found - high, 0.0)


def _known(claim: Claim, facts: Facts) -> list[tuple[int, float]] | str:
    """The yields the number may be one of, by reaction; else why there are none."""
    if claim.subject is None:
        found = facts.yields.get(claim.product or "", [])
        return found or f"no yield is known of any reaction that makes {claim.product}"
    number = claim.reactions[0]
    reaction = facts.reactions.get(number)
    if reaction is None:
        return f"the graph has no reaction {number}"
    if claim.product is not None and claim.product not in reaction.roles["PRODUCES"]:
        return f"reaction {number} does not make {claim.product}"
    named = [claim.product] if claim.product is not None else list(reaction.yields)
    yields = [(number, reaction.yields[name]) for name in named if name in reaction.yields]
    return yields or f"no yield is known of reaction {number}"


def by_best(claim: Claim, facts: Facts) -> VerifiedClaim:
    """Judge ``BEST_YIELD``: that no reaction makes the molecule with a better known yield."""
    if not claim.reactions or not isinstance(claim.object, str):
        return VerifiedClaim(claim, "UNSUPPORTED", "it names no reaction")
    number, product = claim.reactions[0], claim.object
    reaction = facts.reactions.get(number)
    best = facts.best.get(product)
    if reaction is None:
        return VerifiedClaim(claim, "UNSUPPORTED", f"the graph has no reaction {number}")
    value = reaction.yields.get(product)
    if value is None or best is None:
        return VerifiedClaim(claim, "UNSUPPORTED", f"no yield of that product is known of reaction {number}")
    evidence = (ClaimEvidence(number, value),)
    verdict: Verdict = "SUPPORTED" if claim.negated != (value >= best) else "CONTRADICTED"
    told = f"another reaction has {best:g} %, this one {value:g} %"
    if value >= best:
        told = f"{value:g} % is the best known yield"
    return VerifiedClaim(claim, verdict, told, evidence)


def by_count(claim: Claim, facts: Facts) -> VerifiedClaim:
    """Judge ``COUNT``: how many molecules, reactions or routes there are."""
    found = _count(claim, facts)
    if isinstance(found, str):
        return VerifiedClaim(claim, "UNCERTAIN", found)
    told = f"there {'is' if found == 1 else 'are'} {found:,}"
    same = (found == claim.object) != claim.negated
    evidence = tuple(ClaimEvidence(number) for number in claim.reactions)
    return VerifiedClaim(claim, "SUPPORTED" if same else "CONTRADICTED", told, evidence)


def _count(claim: Claim, facts: Facts) -> int | str:
    """How many there are, or why that is not known."""
    for name in claim.molecules:
        if name not in facts.molecules:
            return "the graph does not know the molecule"
    if claim.role == "LEADS_TO":
        ends = ends_of(claim)
        routes = MOST_ROUTES if ends is None else facts.routes.get(ends, 0)
        return routes if routes < MOST_ROUTES else "the routes cannot be counted"
    if claim.role is not None and (ends := ends_of(claim, claim.role)) and (claim.role, ends) in facts.along:
        return facts.along[claim.role, ends]
    if claim.reactions:
        known = facts.reactions.get(claim.reactions[0])
        if known is None:
            return f"the graph has no reaction {claim.reactions[0]}"
        if claim.role not in ROLE_PREDICATES:
            return "it does not say what is counted"
        return len(known.roles[claim.role])
    if isinstance(claim.subject, str) and claim.role is not None:
        return facts.counts.get((claim.role, (claim.subject, claim.product)), 0)
    if claim.subject is None and claim.role is not None and claim.product is not None:
        return facts.involved.get((claim.role, claim.product), 0)
    return "it does not say what is counted"


def by_comparison(claim: Claim, facts: Facts, same: float, near: float) -> VerifiedClaim:
    """Judge ``HIGHER_YIELD``, ``SAME_MOLECULES``, ``SHARES`` or ``IS``: a comparison of two reactions."""
    for number in claim.reactions:
        if number not in facts.reactions:
            return VerifiedClaim(claim, "UNSUPPORTED", f"the graph has no reaction {number}")
    if len(claim.reactions) != 2:
        return VerifiedClaim(claim, "UNCERTAIN", "it does not name two reactions")
    evidence = tuple(ClaimEvidence(number) for number in dict.fromkeys(claim.reactions))
    if claim.predicate == "HIGHER_YIELD":
        return _by_difference(claim, facts, same, near)
    first, second = claim.reactions
    if claim.predicate == "IS":
        holds, told = first == second, "they are the same reaction" if first == second else "they differ"
    else:
        one, other = (_in_roles(facts.reactions[each], claim) for each in claim.reactions)
        shared = {name for _, name in one} & {name for _, name in other}
        holds = one == other if claim.predicate == "SAME_MOLECULES" else bool(shared)
        told = f"they share {', '.join(sorted(shared)) or 'none'}"
    return VerifiedClaim(claim, "SUPPORTED" if holds != claim.negated else "CONTRADICTED", told, evidence)


def _in_roles(known: KnownReaction, claim: Claim) -> set[tuple[Predicate, str]]:
    """Return the molecules of a reaction that a comparison is about, by role."""
    roles = ROLE_PREDICATES if claim.role is None else (claim.role,)
    return {(role, name) for role in roles for name in known.roles[role] if name not in claim.besides}


def _by_difference(claim: Claim, facts: Facts, same: float, near: float) -> VerifiedClaim:
    """Judge that one reaction has a higher yield than another, of the product that is named or of any."""
    found: list[tuple[float, float]] = []
    first, second = (facts.reactions[each] for each in claim.reactions)
    for name, value in first.yields.items():
        for other, less in second.yields.items():
            if claim.product in (None, name) and (name == other or not second.yields.keys() & {name}):
                found.append((value, less))
    if not found:
        return VerifiedClaim(claim, "UNSUPPORTED", "the yields of both are not known")
    value, less = max(found, key=lambda pair: pair[0] - pair[1])
    told = f"the yields are {value:g} and {less:g} %"
    evidence = (ClaimEvidence(claim.reactions[0], value), ClaimEvidence(claim.reactions[1], less))
    distance = 0.0 if claim.difference is None else abs(value - less - claim.difference)
    higher = value > less if claim.difference != 0 else True
    if not claim.negated and higher and same < distance <= near:
        return VerifiedClaim(claim, "UNCERTAIN", told, evidence)
    holds = higher and distance <= same
    return VerifiedClaim(claim, "SUPPORTED" if holds != claim.negated else "CONTRADICTED", told, evidence)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a yield may be from that of the graph, in percentage points, to be the same or uncertain."""

    same: float = 0.05
    near: float = 1.0


@dataclass(frozen=True, slots=True)
class Provenance:
    """What is known of where the facts of a graph come from.

    Attributes:
        evidence: Confidences and text spans.
        text_of: The procedure text of a reaction by its id; None where it is not on this machine.
        least: A claim that the graph holds is uncertain where a fact that it rests on has less confidence;
            None where confidences decide nothing.
    """

    evidence: GraphEvidence
    text_of: Callable[[int], str | None]
    least: float | None = None


class Verifier:
    """Looks claims up in the graph, those of one answer together.

    Args:
        provenance: Where facts come from; None for a graph without evidence.
    """

    def __init__(
        self, ask: Ask, tolerance: Tolerance | None = None, provenance: Provenance | None = None
    ) -> None:
        self._ask = ask
        self._tolerance = tolerance or Tolerance()
        self._provenance = provenance

    def verify(self, claims: Iterable[Claim]) -> list[VerifiedClaim]:
        """Return the claims in order, each with verdict and evidence; raise GraphError without a server.

        The graph is taken to be whole for the reactions that it holds: a molecule that it knows and does not
        hold in a reaction has no part in it.
        """
        claims = list(claims)
        facts = gather(self._ask, claims)
        found = [self._judged(claim, facts) for claim in claims]
        known = self._provenance
        return found if known is None else [_with_provenance(each, known) for each in found]

    def _judged(self, claim: Claim, facts: Facts) -> VerifiedClaim:
        if claim.predicate == "YIELD":
            return by_yield(claim, facts, self._tolerance.same, self._tolerance.near)
        if claim.predicate == "BEST_YIELD":
            return by_best(claim, facts)
        if claim.predicate in COMPARISONS:
            return by_comparison(claim, facts, self._tolerance.same, self._tolerance.near)
        if claim.predicate == "LEADS_TO":
            return by_link(claim, facts)
        if claim.predicate == "PRECURSOR_OF":
            return by_chain(claim, facts)
        if claim.predicate == "COUNT":
            return by_count(claim, facts)
        return by_role(claim, facts)


def _with_provenance(found: VerifiedClaim, provenance: Provenance) -> VerifiedClaim:
    """Add records, confidences and text spans, and doubt a claim whose facts are not sure enough."""
    known, least = provenance.evidence, provenance.least
    basis = _basis(found, known)
    surest = known.surest(basis)
    confidence = known.least(surest)
    evidence = tuple(_cited(each, (surest, *basis), provenance) for each in found.evidence)
    traced = any(all(fact in known.spans for fact in facts) for facts in basis)
    found = replace(found, evidence=evidence, confidence=confidence, traced=traced)
    held = found.verdict == "SUPPORTED" and not found.claim.negated
    if not held or least is None or confidence is None or confidence >= least:
        return found
    reason = f"{found.reason}, with a confidence of {confidence:.2f}, below {least:g}"
    return replace(found, verdict="UNCERTAIN", reason=reason, doubted=True)


def _cited(
    evidence: ClaimEvidence, alternatives: Iterable[tuple[Fact, ...]], provenance: Provenance
) -> ClaimEvidence:
    """Add record, confidence and spans of a reaction: of its facts in the first alternative that has some."""
    known, number = provenance.evidence, evidence.reaction
    if record := known.reactions[number].source:
        source = SourceRecord(record.file, record.row, record.grant_date)
        evidence = structs.replace(evidence, source=source)
    of_reaction = ([fact for fact in facts if fact.reaction == number] for facts in alternatives)
    facts = next(filter(None, of_reaction), [])
    if (confidence := known.least(facts)) is None:
        return evidence
    text = provenance.text_of(number)
    spans = [
        TextSpan(fact.kind, fact.molecule, start, stop, text and text[start:stop])
        for fact in facts
        if fact in known.spans
        for start, stop in (known.spans[fact],)
    ]
    return structs.replace(evidence, confidence=confidence, spans=spans)


def _basis(found: VerifiedClaim, known: GraphEvidence) -> tuple[tuple[Fact, ...], ...]:
    """Return the facts of the graph that evidence shows, as alternatives: all facts of one are needed.

    What rests on the absence of facts has none.
    """
    claim, ids = found.claim, [each.reaction for each in found.evidence]
    if not ids or claim.predicate in COMPARISONS or (claim.negated and found.verdict == "SUPPORTED"):
        return ()
    if claim.predicate in ("LEADS_TO", "PRECURSOR_OF"):
        linked = known.along(ids)
        if linked is None or claim.predicate == "LEADS_TO":
            return () if linked is None else (linked,)
        begin = Fact(ids[0], "REACTS_IN", str(claim.subject))
        return ((begin, *linked, Fact(ids[-1], "PRODUCES", str(claim.object))),)
    if claim.predicate == "YIELD" and claim.subject is None and claim.low is not None:
        return (tuple(Fact(number, "yield", str(claim.product)) for number in ids),)
    alternatives: list[tuple[Fact, ...]] = []
    molecule = _molecule(claim)
    product = claim.object if claim.predicate == "BEST_YIELD" else claim.product
    for each in found.evidence:
        reaction = known.reactions[each.reaction]
        own = sorted(facts_of(reaction), key=lambda fact: fact.molecule)
        if claim.predicate in ("YIELD", "BEST_YIELD"):
            alternatives += (
                (Fact(reaction.id, "PRODUCES", name), Fact(reaction.id, "yield", name))
                for name, value in reaction.known_yields.items()
                if value == each.found and product in (None, name)
            )
        elif claim.predicate == "COUNT":
            alternatives.append(tuple(fact for fact in own if fact.kind == claim.role))
        elif molecule is None:
            alternatives += ((fact,) for fact in own if fact.kind in _meant(claim))
        else:
            wanted = [(each.found, molecule), *([] if claim.reactions else [("PRODUCES", product)])]
            alternatives.append(tuple(fact for fact in own if (fact.kind, fact.molecule) in wanted))
    return tuple(filter(None, alternatives))
