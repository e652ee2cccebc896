"""Errors in the choice of relationship types."""

from collections.abc import Sequence

from kg.cypher import Edit, ParsedQuery, RelationshipPattern, relationship_patterns, reverse
from prompts.models.mutations._operator import Mutation, Operator

_CONDITIONS = {"USES_AGENT": "USES_SOLVENT", "USES_SOLVENT": "USES_AGENT"}
_FROM_REACTION = ("PRODUCES", "USES_AGENT", "USES_SOLVENT")
_TO_REACTION = "REACTS_IN"


def _conditions_swapped(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((_typed(pattern, other),))
        for pattern in _single(query)
        if (other := _CONDITIONS.get(pattern.types[0]))
    ]


def _other_type(query: ParsedQuery) -> Sequence[Mutation]:
    """Types that the same end may have, so that the error is in the type and not in the direction."""
    found = []
    for pattern in _single(query):
        written = pattern.types[0]
        others = [each for each in _FROM_REACTION if each not in (written, _CONDITIONS.get(written))]
        if written in _FROM_REACTION:
            found += [Mutation((_typed(pattern, other),)) for other in others]
        elif written == _TO_REACTION and pattern.direction != "either":
            turned = reverse(pattern)
            found += [Mutation((*turned, _typed(pattern, other))) for other in _FROM_REACTION]
    return found


def _no_type(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(*pattern.type_expression, ""),))
        for pattern in relationship_patterns(query)
        if pattern.type_expression
    ]


def _fewer_types(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((_typed(pattern, each),))
        for pattern in relationship_patterns(query)
        if len(pattern.types) > 1
        for each in pattern.types
    ]


def _more_types(query: ParsedQuery) -> Sequence[Mutation]:
    known = (_TO_REACTION, *_FROM_REACTION)
    found = []
    for pattern in relationship_patterns(query):
        if len(pattern.types) < 2 or not set(pattern.types) <= set(known):
            continue
        missing = [each for each in known if each not in pattern.types]
        wider = [[each] for each in missing] + ([missing] if len(missing) > 1 else [])
        found += [Mutation((_typed(pattern, "|".join([*pattern.types, *more])),)) for more in wider]
    return found


def _single(query: ParsedQuery) -> list[RelationshipPattern]:
    return [pattern for pattern in relationship_patterns(query) if len(pattern.types) == 1]


def _typed(pattern: RelationshipPattern, types: str) -> Edit:
    if pattern.type_expression is None:
        raise ValueError("a pattern without types has none to change")
    return Edit(*pattern.type_expression, f":{types}")


SWAP_CONDITIONS = Operator(
    "swap_conditions",
    "take the type of agents for solvents, or of solvents for agents",
    "error",
    "wrong_relationship",
    _conditions_swapped,
)
WRONG_TYPE = Operator(
    "wrong_type",
    "take another type of the schema that fits the same ends",
    "error",
    "wrong_relationship",
    _other_type,
)
DROP_TYPE = Operator("drop_type", "follow relationships of any type", "error", "wrong_relationship", _no_type)
FEWER_TYPES = Operator(
    "fewer_types", "follow one of a path's types only", "error", "wrong_relationship", _fewer_types
)
MORE_TYPES = Operator(
    "more_types", "let a path follow agents or solvents too", "error", "wrong_relationship", _more_types
)
