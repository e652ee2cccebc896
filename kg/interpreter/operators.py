"""Operators of Cypher on values: comparisons, membership, regular expressions and arithmetic."""

import math
import re
from typing import Any, Final

from retrocypher.kg.interpreter.functions import call
from retrocypher.kg.interpreter.graph import Value
from retrocypher.kg.interpreter.values import (
    NotInterpretedError,
    QueryFailsError,
    either,
    equal,
    is_number,
    less,
    member,
    negated,
)

_QUANTIFIED_GROUP: Final = re.compile(r"\)[*+?{]|\\\d")
_MOST_REPEATS: Final = 3
_LONGEST_PATTERN: Final = 200


def compared(operator: str, left: Value, right: Value) -> bool | None:
    """What a comparison gives; the operator is called as the grammar calls its token."""
    match operator:
        case "EQ":
            return equal(left, right)
        case "NEQ" | "NEQ2":
            return negated(equal(left, right))
        case "LT":
            return less(left, right)
        case "GT":
            return less(right, left)
        case "LE":
            return either([less(left, right), equal(left, right) if less(left, right) is not None else None])
        case "GE":
            return either([less(right, left), equal(left, right) if less(right, left) is not None else None])
    raise NotInterpretedError(f"the operator {operator}")


def contained(value: Value, items: Value) -> bool | None:
    """What IN gives."""
    found = listed(items)
    return None if found is None else member(value, found)


def listed(value: Value) -> list[Value] | None:
    """A value as a list; the server takes one of another type for a list of one element."""
    if value is None or isinstance(value, list):
        return value
    if isinstance(value, int | float):
        # Numbers come from functions such as size(), whose type the server knows before it runs.
        raise QueryFailsError("a list is expected where a number is given")
    return [value]


def fits(text: str, pattern: str) -> bool:
    """Whether a text fits a regular expression; those that could take very long are not tried."""
    repeats = sum(pattern.count(mark) for mark in "*+{")
    if _QUANTIFIED_GROUP.search(pattern) or repeats > _MOST_REPEATS or len(pattern) > _LONGEST_PATTERN:
        raise NotInterpretedError("this regular expression")
    try:
        return re.fullmatch(pattern, text, re.DOTALL if "(?s)" in pattern else 0) is not None
    except (re.error, OverflowError, RecursionError) as error:
        raise NotInterpretedError("this regular expression") from error


def calculated(operator: str, left: Value, right: Value) -> Value:
    """What arithmetic or a concatenation gives; the operator is called as the grammar calls its token."""
    if left is None or right is None:
        return None
    if operator in ("PLUS", "DOUBLEBAR"):
        return _joined(left, right)
    if not (is_number(left) and is_number(right)):
        raise QueryFailsError("arithmetic is done with a value that is no number")
    return _number_of(operator, left, right)


def _joined(left: Value, right: Value) -> Value:
    if is_number(left) and is_number(right):
        return left + right
    if isinstance(left, list):
        return left + (right if isinstance(right, list) else [right])
    if isinstance(right, list):
        return [left, *right]
    if isinstance(left, str) or isinstance(right, str):
        one, other = (each if isinstance(each, str) else call("tostring", [each]) for each in (left, right))
        return one + other
    raise QueryFailsError("two values are added that have no sum")


def _number_of(operator: str, left: Any, right: Any) -> Any:
    whole = isinstance(left, int) and isinstance(right, int)
    match operator:
        case "MINUS":
            return left - right
        case "TIMES":
            return left * right
        case "DIVIDE" | "PERCENT" if whole and not right:
            raise QueryFailsError("a number is divided by zero")
        case "DIVIDE" if right:
            # The server cuts off what is behind the point of a quotient of integers.
            return int(left / right) if whole else left / right
        case "PERCENT" if right:
            return int(math.fmod(left, right)) if whole else math.fmod(left, right)
        case "POW" if abs(left) < 1e6 and abs(right) < 20:
            return float(left) ** right
    raise NotInterpretedError("arithmetic of this kind")
