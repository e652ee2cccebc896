"""Known errors, put into a right query at places the grammar gives."""

from prompts.models.mutations._apply import Mutant, mutate, mutations_of
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._registry import OPERATORS, operators_named

__all__ = ["OPERATORS", "Mutant", "Mutation", "Operator", "mutate", "mutations_of", "operators_named"]
