"""Errors in the direction of relationships."""

from collections.abc import Sequence

from kg.cypher import ParsedQuery, relationship_patterns, reverse
from prompts.models.mutations._operator import Mutation, Operator


def _one_arrow(query: ParsedQuery) -> Sequence[Mutation]:
    edits = [reverse(pattern) for pattern in relationship_patterns(query)]
    return [each for each in edits if each]


REVERSE_ARROW = Operator("reverse_arrow", "turn one relationship's arrow round", _one_arrow)
