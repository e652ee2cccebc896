"""Claims from what a sentence says of reactions."""

from kg.claims._model import Claim, Predicate
from kg.claims._sentence import Part, Told
from kg.claims._tokens import Token
from kg.claims._yield_words import Amount


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


def unnamed_claim(part: Part, told: Told, about: str | None) -> Claim:
    """Return the claim that a molecule has its role in a reaction that is not named.

    That reaction makes the product that the sentence names next, else any that it names, else what is asked
    about.

    Args:
        part: The molecule.
        told: What the sentence says.
        about: The molecule that is asked about.
    """
    if part.role == "PRODUCES":
        return role_claim(part, None, None)
    made = [each for each in told.parts if each.role == "PRODUCES" and not each.negated]
    after = [each for each in made if each.place > part.place]
    return role_claim(part, None, (after or made)[0].token.text if made else about)


def yield_claim(amount: Amount, reaction: int | None, product: str | None, told: Told, token: Token) -> Claim:
    """Return the claim that a reaction has a yield.

    Args:
        amount: The yield.
        reaction: The reaction, None where it is not named.
        product: What it is the yield of.
        told: What the sentence says.
        token: The number in the text.
    """
    return Claim(
        reaction,
        "YIELD",
        amount.high,
        product=product,
        low=None if amount.low == amount.high else amount.low,
        share=amount.share,
        negated=amount.place in told.denied,
        start=token.start,
        stop=token.stop,
    )
