"""Claims made from what a sentence says of reactions."""

from collections.abc import Mapping
from typing import Any, get_args

from retrocypher.kg.claims.claim import Claim, Predicate, Term
from retrocypher.kg.claims.numbers import Amount
from retrocypher.kg.claims.sentence import Part, SentenceRoles
from retrocypher.kg.claims.tokens import Token
from retrocypher.kg.graph.molecules import canonical_name


def role_claim(part: Part, reaction: int | None, product: str | None) -> Claim:
    """Return the claim that a molecule has its role in a reaction, or in one without a name."""
    predicate = part.role or "TAKES_PART_IN"
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


def unnamed_claim(part: Part, told: SentenceRoles, about: str | None) -> Claim:
    """Return the claim that a molecule has its role in a reaction that is not named.

    That reaction makes the product that the sentence names next, else any that it names, else what is asked
    about.
    """
    if part.role == "PRODUCES":
        return role_claim(part, None, None)
    made = [each for each in told.parts if each.role == "PRODUCES" and not each.negated]
    after = [each for each in made if each.place > part.place]
    return role_claim(part, None, (after or made)[0].token.text if made else about)


def yield_claim(
    amount: Amount, reaction: int | None, product: str | None, told: SentenceRoles, token: Token
) -> Claim:
    """Return the claim that a reaction has a yield."""
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


_REACTION_FIRST = ("PRODUCES", "USES_AGENT", "USES_SOLVENT", "YIELD", "BEST_YIELD", "LEADS_TO")
_REACTION_LAST = ("REACTS_IN", "TAKES_PART_IN", "LEADS_TO")
_LARGEST_ID = 10**9


def claim_of(value: Mapping[str, Any]) -> Claim | None:
    """Read one triple strictly: ``subject``, ``predicate``, ``object``, and ``product`` where there is one.

    Molecules are brought to their canonical form and predicates to upper case; an id may be an integer or
    its digits as text. Nothing else is guessed: None where a part is missing, of another kind than the
    predicate asks for, or no SMILES.
    """
    predicate = _predicate(value.get("predicate"))
    if predicate is None:
        return None
    subject = _end(value.get("subject"), predicate in _REACTION_FIRST)
    stated = value.get("object")
    end = _number(stated) if predicate == "YIELD" else _end(stated, predicate in _REACTION_LAST)
    product = value.get("product")
    named = canonical_name(product) if isinstance(product, str) else None
    if subject is None or end is None or (product is not None and named is None):
        return None
    return Claim(subject, predicate, end, product=named)


def _predicate(value: object) -> Predicate | None:
    wanted = value.strip().upper().replace(" ", "_") if isinstance(value, str) else ""
    return next((each for each in get_args(Predicate) if each == wanted), None)


def _end(value: object, is_reaction: bool) -> Term:
    if not is_reaction:
        return canonical_name(value) if isinstance(value, str) else None
    digits = value.strip() if isinstance(value, str) else value
    if (
        isinstance(digits, str)
        and digits.isascii()
        and digits.isdigit()
        and len(digits) < len(str(_LARGEST_ID))
    ):
        return int(digits)
    return (
        digits
        if isinstance(digits, int) and not isinstance(digits, bool) and 0 < digits < _LARGEST_ID
        else None
    )


def _number(value: object) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value.strip().removesuffix("%").strip())
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if 0 <= value <= _LARGEST_ID else None
