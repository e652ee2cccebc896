"""All mutation operators by name, and queries changed by them."""

import difflib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from retrocypher.kg.cypher.edits import apply_edits
from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.mutations import (
    name_errors,
    neutral_clauses,
    neutral_patterns,
    path_errors,
    result_errors,
    row_errors,
)
from retrocypher.kg.mutations.operator import MutationKind, Operator

_MODULES = (
    path_errors,
    row_errors,
    result_errors,
    name_errors,
    neutral_patterns,
    neutral_clauses,
)

# The order decides what a seed draws: operators stand in the order of their definitions.
OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {
        operator.name: operator
        for module in _MODULES
        for operator in vars(module).values()
        if isinstance(operator, Operator)
    }
)
"""All operators by name: those that plant an error, then the neutral ones, with two of style among them."""


def operators_of(*kinds: MutationKind) -> tuple[Operator, ...]:
    """Return the operators of some kinds."""
    return tuple(operator for operator in OPERATORS.values() if operator.kind in kinds)


def operators_named(names: str) -> tuple[Operator, ...]:
    """Return the operators of a comma-separated list; raise InputError if one is unknown.

    An empty text stands for all that plant an error.
    """
    if not names:
        return operators_of("error")
    wanted = list(dict.fromkeys(names.split(",")))
    unknown = [name for name in wanted if name not in OPERATORS]
    if unknown:
        raise InputError(
            f"--model mutant:{names}: no operator {unknown[0]!r}; {_meant(unknown[0])}"
            "docs/errors-and-loops.md lists all of them."
        )
    return tuple(OPERATORS[name] for name in wanted)


def _meant(name: str) -> str:
    planting = [each.name for each in OPERATORS.values() if each.label == name_of(name)]
    if planting:
        return f"that is a label; its operators are {', '.join(planting)}; "
    near = difflib.get_close_matches(name, OPERATORS, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}? " if near else ""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A query with one known change, or with several neutral ones, whose operators ``+`` joins.

    ``place`` is the number of the (last) operator's mutation, from 0. ``label`` is the error planted, with
    its detail; None for a neutral change.
    """

    query: str
    operator: str
    place: int
    kind: MutationKind
    label: str | None


def mutations_of(operator: Operator, query: str | ParsedQuery) -> list[Mutant]:
    """Return the query with each of an operator's changes in turn.

    Empty where it does not apply, and for a query with a syntax error, whose parts cannot be distinguished.
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

    Seed and key (such as a question's id) alone decide, on every machine. None where no operator applies.
    """
    parsed = parse(query)
    rng = random.Random(f"{seed}:{key}")
    # Asked in a random order until one applies: as likely as a choice among those that do, and far quicker.
    for operator in rng.sample(list(operators), len(operators)):
        found = mutations_of(operator, parsed)
        if found:
            return found[rng.randrange(len(found))]
    return None


def compose(query: str, operators: Sequence[Operator], *, count: int, seed: int, key: str) -> Mutant | None:
    """Make ``count`` neutral changes to a query, one after another, each by another operator.

    Seed and key alone decide, on every machine. None where fewer operators apply. Raise ValueError if an
    operator is not neutral: what several of those do together has no one label.
    """
    if any(operator.kind != "neutral" for operator in operators):
        raise ValueError("only neutral operators are composed")
    rng = random.Random(f"{seed}:{key}")
    made: list[Mutant] = []
    for operator in rng.sample(list(operators), len(operators)):
        if len(made) < count:
            found = mutations_of(operator, made[-1].query if made else query)
            made += [found[rng.randrange(len(found))]] if found else []
    if len(made) < count:
        return None
    names = "+".join(each.operator for each in made)
    return Mutant(made[-1].query, names, made[-1].place, "neutral", None)
