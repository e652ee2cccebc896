"""The claims that a model lists, beside those that the reader finds."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

from kg.claims import ROLE_PREDICATES, Claim, VerifiedClaim, claim_of
from prompts.answering import StatedClaims, Triple

_PLACES = {
    "REACTS_IN": ("object",),
    **dict.fromkeys(("PRODUCES", "USES_AGENT", "USES_SOLVENT", "YIELD"), ("subject",)),
    "LEADS_TO": ("subject", "object"),
}
"""Where a triple has its reactions."""
_OF_A_MOLECULE = (*ROLE_PREDICATES, "TAKES_PART_IN")


@dataclass(frozen=True, slots=True)
class Listed:
    """The claims that a model lists, as the graph can be asked about them.

    Attributes:
        claims: Those that can be read, each once.
        unreadable: How many name something that is no molecule, or link reactions that have no id.
    """

    claims: tuple[Claim, ...]
    unreadable: int


def listed(stated: StatedClaims) -> Listed:
    """Return the claims of a model's list; a reaction with a name of the model's own has no id."""
    claims = [_claim(triple) for triple in stated.triples]
    return Listed(tuple(dict.fromkeys(each for each in claims if each)), claims.count(None))


def same(one: Claim, other: Claim) -> bool:
    """Return whether two claims say the same.

    What the reader knows of a reaction without an id (which product it makes) the model need not repeat; and
    where the reader finds no word for the role of a molecule, any role will do.
    """
    if one.predicate == other.predicate == "YIELD":
        told = one.product is None or other.product is None or one.product == other.product
        return told and (one.subject, one.object) == (other.subject, other.object)
    if one.predicate not in _OF_A_MOLECULE or other.predicate not in _OF_A_MOLECULE:
        return one == other
    kinds = {one.predicate, other.predicate}
    return (len(kinds) == 1 or "TAKES_PART_IN" in kinds) and _ends(one) == _ends(other)


def in_both(found: Iterable[Claim], claims: Iterable[Claim]) -> tuple[set[int], set[int]]:
    """Return the places of the claims that both lists have: in the first, and in the second."""
    found, claims = list(found), list(claims)
    pairs = [
        (here, there)
        for here, one in enumerate(found)
        for there, other in enumerate(claims)
        if same(one, other)
    ]
    return {here for here, _ in pairs}, {there for _, there in pairs}


def support_of(verified: Iterable[VerifiedClaim]) -> float | None:
    """Return the share of claims that are supported; None without one."""
    verdicts = [each.verdict == "SUPPORTED" for each in verified]
    return sum(verdicts) / len(verdicts) if verdicts else None


def _claim(triple: Triple) -> Claim | None:
    """Return the claim in a triple; of a reaction that has no id, the graph is asked about any."""
    unnamed = [name for name in _PLACES[triple.predicate] if isinstance(getattr(triple, name), str)]
    if unnamed and triple.predicate == "LEADS_TO":
        return None
    read = claim_of({**asdict(triple), **dict.fromkeys(unnamed, 1)})
    if read is None or not unnamed:
        return read
    return replace(read, object=None) if unnamed == ["object"] else replace(read, subject=None)


def _ends(claim: Claim) -> frozenset[tuple[str, object]]:
    return frozenset((type(end).__name__, end) for end in (claim.subject, claim.object))
