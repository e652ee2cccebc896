"""Claims from what a sentence says of reactions."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from kg.claims._model import Claim, Predicate
from kg.claims._sentence import Part


def role_claim(part: Part, reaction: int | None, product: str | None, role: Predicate | None = None) -> Claim:
    """Return the claim that a molecule has its role in a reaction.

    Args:
        part: The molecule.
        reaction: The reaction, None where it is not named.
        product: What the reaction makes, where it is not named.
        role: The role, where it is not that of the part.
    """
    predicate = role or part.role or "TAKES_PART_IN"
    name = part.token.text
    subject, end = (name, reaction) if predicate in ("REACTS_IN", "TAKES_PART_IN") else (reaction, name)
    return Claim(
        subject,
        predicate,
        end,
        product=None if reaction is not None or product == name else product,
        negated=part.negated,
        start=part.token.start,
        stop=part.token.stop,
    )


def links(routes: Iterable[Sequence[int]], start: int, stop: int) -> list[Claim]:
    """Return the claims that the reactions of routes follow one another."""
    pairs = dict.fromkeys((one, two) for route in routes for one, two in pairwise(route))
    return [Claim(one, "LEADS_TO", two, start=start, stop=stop) for one, two in pairs]
