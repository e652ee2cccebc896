"""Equality, order and grouping of values, after openCypher's rules for null and for unlike types."""

import math
from collections.abc import Hashable, Sequence
from typing import Any, Final

from retrocypher.kg.interpreter.graph import GraphNode, GraphPath, GraphRelationship, Value

LONGEST: Final = 10_000
"""Characters or elements of a value that is made."""

_LARGEST: Final = 2**63


class NotInterpretedError(Exception):
    """A query does something that the interpreter does not know, or that would take too long; says what."""


class QueryFailsError(Exception):
    """The server would refuse the query or stop it with an error; says why."""


def is_number(value: Value) -> bool:
    """Whether a value is an integer or a float; a boolean is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def equal(left: Value, right: Value) -> bool | None:
    """Whether two values are equal; None where that depends on a null."""
    if left is None or right is None:
        return None
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            return False
        return both([equal(one, other) for one, other in zip(left, right, strict=True)])
    if isinstance(left, dict) and isinstance(right, dict):
        if left.keys() != right.keys():
            return False
        return both([equal(each, right[key]) for key, each in left.items()])
    return type(left) is type(right) and bool(left == right)


def both(verdicts: Sequence[bool | None]) -> bool | None:
    """The AND of truth values."""
    if any(each is False for each in verdicts):
        return False
    return None if None in verdicts else True


def either(verdicts: Sequence[bool | None]) -> bool | None:
    """The OR of truth values."""
    if any(each is True for each in verdicts):
        return True
    return None if None in verdicts else False


def negated(verdict: bool | None) -> bool | None:
    """The NOT of a truth value."""
    return None if verdict is None else not verdict


def less(left: Value, right: Value) -> bool | None:
    """Whether one value comes before another; None where the two cannot be compared."""
    comparable = (is_number(left) and is_number(right)) or (
        type(left) is type(right) and isinstance(left, str | bool)
    )
    if comparable:
        return bool(left < right)
    if isinstance(left, list) and isinstance(right, list):
        for one, other in zip(left, right, strict=False):
            same = equal(one, other)
            if same is not True:
                return None if same is None else less(one, other)
        return len(left) < len(right)
    return None


def member(value: Value, items: Sequence[Value]) -> bool | None:
    """Whether a list has a value."""
    return either([equal(value, each) for each in items])


def sort_key(value: Value) -> tuple[Any, ...]:
    """The place of a value in ORDER BY, ascending: null is last, values of unlike types have an order too."""
    match value:
        case dict():
            return (0, sorted((key, sort_key(each)) for key, each in value.items()))
        case GraphNode(id=number):
            return (1, number)
        case GraphRelationship(id=number):
            return (2, number)
        case list():
            return (3, [sort_key(each) for each in value])
        case GraphPath(nodes, _):
            return (4, [node.id for node in nodes])
        case str():
            return (5, value)
        case bool():
            return (6, value)
        case int() | float():
            # NaN is greater than any number.
            return (7, isinstance(value, float) and math.isnan(value), value)
    return (8,)


def group_key(value: Value) -> Hashable:
    """What is equal for two values that DISTINCT and grouping take for one; null equals null there."""
    match value:
        case list():
            return ("list", *map(group_key, value))
        case dict():
            return ("map", *sorted((key, group_key(each)) for key, each in value.items()))
        case bool():
            return ("bool", value)
    return value if value is None or isinstance(value, str | int | float) else ("graph", value)


def checked(value: Value) -> Value:
    """Return a value that was made; raise NotInterpretedError where it is too large."""
    if isinstance(value, str | list) and len(value) > LONGEST:
        raise NotInterpretedError("a list or text that is very long")
    if isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
        raise NotInterpretedError("a number beyond 64 bits")
    return value
