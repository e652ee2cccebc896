"""Which change a query gets, and the query with it."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from kg.cypher import ParsedQuery, apply_edits, parse
from prompts.models.mutations._operator import MutationKind, Operator


@dataclass(frozen=True, slots=True)
class Mutant:
    """A query with one known change, or with several neutral ones.

    Attributes:
        query: The changed query.
        operator: Name of the operator that changed it; joined by ``+`` where several did, in turn.
        place: Which of the operator's mutations it is, from 0; of the last operator where several did.
        kind: Whether it plants an error, is a matter of style, or changes nothing.
        label: The error planted, with its detail where there is one; None for a neutral change.
    """

    query: str
    operator: str
    place: int
    kind: MutationKind
    label: str | None


def mutations_of(operator: Operator, query: str | ParsedQuery) -> list[Mutant]:
    """Return the query with each of an operator's changes in turn.

    Empty where it does not apply, and for a query with a syntax error, whose parts cannot be told apart.
    """
    parsed = parse(query) if isinstance(query, str) else query
    if parsed.errors:
        return []
    return [
        Mutant(
            apply_edits(parsed.text, mutation.edits),
            operator.name,
            place,
            operator.kind,
            operator.label_of(mutation),
        )
        for place, mutation in enumerate(operator.mutations(parsed))
    ]


def mutate(query: str, operators: Sequence[Operator], *, seed: int, key: str) -> Mutant | None:
    """Make one change to a query: an operator first, then one of its places, each equally likely.

    Args:
        query: A right query.
        operators: The operators to choose from; those that do not apply are passed over.
        seed: Seed of the choice.
        key: Whose choice it is, such as a question's id. Seed and key alone decide, on every machine.

    Returns:
        The changed query, None where no operator applies.
    """
    parsed = parse(query)
    chance = random.Random(f"{seed}:{key}")
    # Asked in a random order until one applies: as likely as a choice among those that do, and far quicker.
    for operator in chance.sample(list(operators), len(operators)):
        found = mutations_of(operator, parsed)
        if found:
            return found[chance.randrange(len(found))]
    return None


def compose(query: str, operators: Sequence[Operator], *, count: int, seed: int, key: str) -> Mutant | None:
    """Make several neutral changes to a query, one after another, each by another operator.

    Args:
        query: A right query.
        operators: The neutral operators to choose from.
        count: How many changes, at least 1.
        seed: Seed of the choice.
        key: Whose choice it is. Seed and key alone decide, on every machine.

    Returns:
        The changed query, None where fewer than ``count`` operators apply.

    Raises:
        ValueError: If an operator is not neutral: what several of those do together has no one label.
    """
    if any(operator.kind != "neutral" for operator in operators):
        raise ValueError("only neutral operators are composed")
    chance = random.Random(f"{seed}:{key}")
    made: list[Mutant] = []
    for operator in chance.sample(list(operators), len(operators)):
        if len(made) < count:
            found = mutations_of(operator, made[-1].query if made else query)
            made += [found[chance.randrange(len(found))]] if found else []
    if len(made) < count:
        return None
    names = "+".join(each.operator for each in made)
    return Mutant(made[-1].query, names, made[-1].place, "neutral", None)
