"""Claims on yields."""

from kg.claims._facts import Facts
from kg.claims._model import Claim, Evidence, Verdict, VerifiedClaim


def by_yield(claim: Claim, facts: Facts, same: float, near: float) -> VerifiedClaim:
    """Judge ``YIELD``: by the yield of the product, or by any of the reaction where no product is named."""
    value = claim.object if isinstance(claim.object, (int, float)) else None
    if value is None:
        return VerifiedClaim(claim, "UNSUPPORTED", "it names no number")
    known = _known(claim, facts)
    if isinstance(known, str):
        return VerifiedClaim(claim, "SUPPORTED" if claim.negated else "UNSUPPORTED", known)
    low = value if claim.low is None else claim.low
    if claim.share and any(_outside(each[1], 100 * low, 100 * value) <= near for each in known):
        low, value = 100 * low, 100 * value
    number, found = min(known, key=lambda each: _outside(each[1], low, value))
    evidence = (Evidence(number, found),)
    distance = _outside(found, low, value)
    told = f"the yield is {found:g} %"
    if distance <= same:
        return VerifiedClaim(claim, "CONTRADICTED" if claim.negated else "SUPPORTED", told, evidence)
    if claim.negated:
        return VerifiedClaim(claim, "SUPPORTED", told, evidence)
    if distance <= near:
        return VerifiedClaim(claim, "UNCERTAIN", f"{told}, which is near", evidence)
    return VerifiedClaim(claim, "CONTRADICTED", told, evidence)


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
    evidence = (Evidence(number, value),)
    verdict: Verdict = "SUPPORTED" if claim.negated != (value >= best) else "CONTRADICTED"
    if value >= best:
        return VerifiedClaim(claim, verdict, f"{value:g} % is the best known yield", evidence)
    return VerifiedClaim(claim, verdict, f"another reaction has {best:g} %, this one {value:g} %", evidence)
