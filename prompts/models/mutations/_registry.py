"""The operators by name."""

from collections.abc import Mapping
from types import MappingProxyType

from kg.errors import InputError
from prompts.models.mutations._components import DROP_COMPONENT
from prompts.models.mutations._direction import REVERSE_ARROW
from prompts.models.mutations._length import CHANGE_LENGTH
from prompts.models.mutations._operator import Operator

OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {operator.name: operator for operator in (REVERSE_ARROW, DROP_COMPONENT, CHANGE_LENGTH)}
)


def operators_named(names: str) -> tuple[Operator, ...]:
    """Return the operators of a list with commas; all of them for an empty text.

    Raises:
        InputError: If there is no operator of a name.
    """
    if not names:
        return tuple(OPERATORS.values())
    wanted = list(dict.fromkeys(names.split(",")))
    unknown = [name for name in wanted if name not in OPERATORS]
    if unknown:
        raise InputError(
            f"--model mutant:{names}: no operator {unknown[0]!r}; choose from {', '.join(OPERATORS)}."
        )
    return tuple(OPERATORS[name] for name in wanted)
