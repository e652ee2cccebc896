"""Which error a question gets, and the query with it."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from kg.cypher import ParsedQuery, apply_edits, parse
from prompts.models.mutations._operator import Operator


@dataclass(frozen=True, slots=True)
class Mutant:
    """A query with one known error.

    Attributes:
        query: The changed query.
        operator: Name of the operator that changed it.
        place: Which of the operator's mutations it is, from 0.
    """

    query: str
    operator: str
    place: int


def mutations_of(operator: Operator, query: str | ParsedQuery) -> list[str]:
    """Return the query with each of an operator's errors in turn; empty where it does not apply."""
    parsed = parse(query) if isinstance(query, str) else query
    return [apply_edits(parsed.text, edits) for edits in operator.mutations(parsed)]


def mutate(query: str, operators: Sequence[Operator], *, seed: int, key: str) -> Mutant | None:
    """Put one error into a query: an operator first, then one of its places, each equally likely.

    Args:
        query: A right query.
        operators: The operators to choose from; those that do not apply are passed over.
        seed: Seed of the choice.
        key: Whose choice it is, such as a question's id. Seed and key alone decide, on every machine.

    Returns:
        The query with its error, None where no operator applies.
    """
    parsed = parse(query)
    choices = {each.name: found for each in operators if (found := mutations_of(each, parsed))}
    if not choices:
        return None
    chance = random.Random(f"{seed}:{key}")
    name = chance.choice(list(choices))
    place = chance.randrange(len(choices[name]))
    return Mutant(choices[name][place], name, place)
