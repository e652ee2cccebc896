"""Conditions taken apart."""

from collections.abc import Iterator

from kg.reading._simplify import operation
from kg.reading._terms import Operation, Term


def conjuncts(term: Term) -> Iterator[Term]:
    """The conditions that all have to hold for a condition to hold."""
    if isinstance(term, Operation) and term.operator == "and":
        for operand in term.operands:
            yield from conjuncts(operand)
    elif isinstance(term, Operation) and term.operator == "not":
        yield from _denied(term)
    else:
        yield term


def _denied(term: Operation) -> Iterator[Term]:
    inner = term.operands[0]
    if isinstance(inner, Operation) and inner.operator == "or":
        for operand in inner.operands:
            yield from conjuncts(operation("not", operand))
    else:
        yield term
