"""Claims on reactions that follow one another."""

from kg.claims._facts import MOST_STEPS, Facts
from kg.claims._model import Claim, Evidence, Verdict, VerifiedClaim


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
        evidence = (Evidence(first, links[0]), Evidence(second, links[0]))
        return VerifiedClaim(
            claim, _so(claim), f"{links[0]} is made by {first} and reacts in {second}", evidence
        )
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
        evidence = tuple(Evidence(number) for number in found)
        return VerifiedClaim(claim, _so(claim), f"a chain of {steps} reactions leads to it", evidence)
    reason = f"no chain of {steps} reactions leads to it"
    return VerifiedClaim(claim, "SUPPORTED" if claim.negated else "UNSUPPORTED", reason)


def _so(claim: Claim) -> Verdict:
    """The verdict on a claim where the graph holds what it speaks of."""
    return "CONTRADICTED" if claim.negated else "SUPPORTED"
