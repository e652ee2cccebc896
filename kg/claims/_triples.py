"""Claims from triples that someone else wrote, such as a model."""

import re
from collections.abc import Mapping
from typing import Any, get_args

from kg.claims._model import Claim, Predicate, Term
from kg.molecules import canonical_name

_REACTION_FIRST = ("PRODUCES", "USES_AGENT", "USES_SOLVENT", "YIELD", "BEST_YIELD", "LEADS_TO")
_REACTION_LAST = ("REACTS_IN", "TAKES_PART_IN", "LEADS_TO")
_LARGEST_ID = 10**9
_DIGITS = re.compile(r"[0-9]{1,9}")


def claim_of(value: Mapping[str, Any]) -> Claim | None:
    """Read one triple strictly: ``subject``, ``predicate``, ``object``, and ``product`` where there is one.

    Molecules are brought to their canonical form and predicates to upper case; an id may be an integer or
    its digits as text. Nothing else is guessed: None where a part is missing, of another kind than the
    predicate asks for, or no SMILES.

    Args:
        value: An object as a JSON reader returns it.
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
