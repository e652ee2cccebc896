"""Claims that a molecule has a role in a reaction."""

from collections.abc import Mapping

from kg.claims._facts import Facts, pairs_of
from kg.claims._model import ROLE_PREDICATES, Claim, Evidence, Predicate, Verdict, VerifiedClaim

_NAMES: Mapping[Predicate, str] = {
    "REACTS_IN": "a reactant",
    "PRODUCES": "a product",
    "USES_AGENT": "an agent",
    "USES_SOLVENT": "a solvent",
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
    if molecule is None:
        return _any(claim, number, bool(known.roles[claim.predicate]))
    role = known.role_of(molecule)
    said = claim.predicate
    evidence = (Evidence(number, role),)
    if role is not None and said in (role, "TAKES_PART_IN"):
        return VerifiedClaim(
            claim, *_so(claim.negated, f"it is {_NAMES[role]} of reaction {number}"), evidence
        )
    if claim.negated:
        reason = f"reaction {number} does not have it" + ("" if role is None else " in that role")
        return VerifiedClaim(claim, "SUPPORTED", reason, evidence)
    if role is not None:
        reason = f"it is {_NAMES[role]} of reaction {number}, not {_NAMES[said]}"
        return VerifiedClaim(claim, "CONTRADICTED", reason, evidence)
    if molecule not in facts.molecules:
        return VerifiedClaim(claim, "UNCERTAIN", "the graph does not know the molecule")
    return VerifiedClaim(claim, "UNSUPPORTED", f"it has no part in reaction {number}", evidence)


def _any(claim: Claim, number: int, has_some: bool) -> VerifiedClaim:
    """Judge a claim on any molecule in a role: that there is one, or that there is none."""
    name = _NAMES[claim.predicate]
    told = f"reaction {number} has {name}" if has_some else f"reaction {number} has no {name.split()[-1]}"
    verdict: Verdict = "SUPPORTED" if has_some != claim.negated else "CONTRADICTED"
    return VerifiedClaim(claim, verdict, told, (Evidence(number),))


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
            evidence = tuple(Evidence(number, role) for number in found)
            told = f"it is {_NAMES[role]} of a reaction{of}"
            return VerifiedClaim(claim, *_so(claim.negated, told), evidence)
    if claim.negated:
        return VerifiedClaim(claim, "SUPPORTED", f"no reaction{of} has it in that role")
    return VerifiedClaim(claim, "UNSUPPORTED", f"no reaction{of} has it in that role")


def _held(claim: Claim, role: Predicate, facts: Facts) -> list[int]:
    return [number for pair in pairs_of(claim, role) for number in facts.held.get((role, pair), [])]


def _so(negated: bool, told: str) -> tuple[Verdict, str]:
    return ("CONTRADICTED" if negated else "SUPPORTED"), told
