"""Known changes to a right query, at places the grammar gives: errors, matters of style, neutral ones."""

from prompts.models.mutations._apply import Mutant, compose, mutate, mutations_of
from prompts.models.mutations._operator import Mutation, MutationKind, Operator
from prompts.models.mutations._registry import OPERATORS, operators_named, operators_of

__all__ = [
    "OPERATORS",
    "Mutant",
    "Mutation",
    "MutationKind",
    "Operator",
    "compose",
    "mutate",
    "mutations_of",
    "operators_named",
    "operators_of",
]
