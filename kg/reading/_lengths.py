"""The lengths of paths, as conditions fix them."""

from fractions import Fraction
from typing import NamedTuple

from kg.reading._draft import Draft
from kg.reading._labels import Labels
from kg.reading._model import Hops, PathReading
from kg.reading._terms import (
    Call,
    Comprehension,
    Constant,
    EdgeTerm,
    HasLabel,
    ListTerm,
    Operation,
    PathTerm,
    Term,
)

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}


class _Measure(NamedTuple):
    """A number that depends on a length: ``factor * hops + offset``."""

    of: PathTerm | EdgeTerm | None
    factor: Fraction
    offset: Fraction


def limit_lengths(draft: Draft, labels: Labels) -> None:
    """Narrow the lengths of paths and edges by the conditions that speak of them."""
    for condition in draft.conditions:
        term = condition.term
        if not isinstance(term, Operation) or len(term.operands) != 2:
            continue
        left, right = (_measure(draft, labels, operand) for operand in term.operands)
        operator = term.operator
        if left is None or (right is None and operator != "in"):
            continue
        if operator == "in" and left.of is not None:
            _limit_to(draft, left, term.operands[1])
        elif right is not None and left.of is not None and right.of is None:
            _limit(draft, left, operator, right.offset)
        elif right is not None and right.of is not None and left.of is None and operator in _MIRRORED:
            _limit(draft, right, _MIRRORED[operator], left.offset)


def _measure(draft: Draft, labels: Labels, term: Term) -> _Measure | None:
    match term:
        case Constant(int() | float() as value) if not isinstance(value, bool):
            return _Measure(None, Fraction(0), Fraction(value))
        case Call("length", (PathTerm() as path,)):
            return _Measure(path, Fraction(1), Fraction(0))
        case Call("size" | "length", (EdgeTerm() as edge,)):
            return _Measure(edge, Fraction(1), Fraction(0))
        case Call("size", (Call("relationships", (PathTerm() as path,)),)):
            return _Measure(path, Fraction(1), Fraction(0))
        case Call("size", (Call("nodes", (PathTerm() as path,)),)):
            return _Measure(path, Fraction(1), Fraction(1))
        case Call("size", (Comprehension("list", element, HasLabel(of, (label,)), _),)) if of == element:
            match element.of:
                case Call("nodes", (PathTerm() as path,)):
                    return _labelled(draft, labels, path, label)
        case Operation("+" | "-" | "*" | "/" as operator, (first, second)):
            return _combined(operator, _measure(draft, labels, first), _measure(draft, labels, second))
        case Call("tointeger" | "tofloat" | "toint" | "round" | "floor", (inner,)):
            return _measure(draft, labels, inner)
    return None


def _labelled(draft: Draft, labels: Labels, path: PathTerm, label: str) -> _Measure | None:
    """How many nodes of a path have a label, where every second one has."""
    nodes = draft.paths[path.key].nodes
    ends = [labels.labels(nodes[0]), labels.labels(nodes[-1])]
    if any(label in end and len(end) > 1 for end in ends):
        return None
    having = sum(label in end for end in ends)
    return _Measure(path, Fraction(1, 2), Fraction(having, 2))


def _combined(operator: str, left: _Measure | None, right: _Measure | None) -> _Measure | None:
    if left is None or right is None or (left.of is not None and right.of is not None):
        return None
    if operator in "+-":
        sign = 1 if operator == "+" else -1
        return _Measure(
            left.of or right.of, left.factor + sign * right.factor, left.offset + sign * right.offset
        )
    if operator == "*":
        scale, other = (left, right) if left.of is None else (right, left)
        return _Measure(other.of, other.factor * scale.offset, other.offset * scale.offset)
    if right.of is None and right.offset:
        return _Measure(left.of, left.factor / right.offset, left.offset / right.offset)
    return None


def _limit_to(draft: Draft, measure: _Measure, choices: Term) -> None:
    if not isinstance(choices, ListTerm):
        return
    values = [each.value for each in choices.items if isinstance(each, Constant)]
    numbers = [Fraction(value) for value in values if isinstance(value, int)]
    if numbers and len(numbers) == len(choices.items):
        _limit(draft, measure, ">=", min(numbers))
        _limit(draft, measure, "<=", max(numbers))


def _limit(draft: Draft, measure: _Measure, operator: str, value: Fraction) -> None:
    if not measure.factor or measure.of is None:
        return
    bound = (value - measure.offset) / measure.factor
    if measure.factor < 0:
        operator = _MIRRORED[operator]
    minimum, maximum = 0, None
    if operator == "=":
        # A length that is no whole number is never reached.
        minimum, maximum = (int(bound), int(bound)) if bound.denominator == 1 else (1, 0)
    elif operator in (">", ">="):
        minimum = int(bound // 1) + 1 if operator == ">" else -int(-bound // 1)
    elif operator in ("<", "<="):
        maximum = -int(-bound // 1) - 1 if operator == "<" else int(bound // 1)
    else:
        return
    if isinstance(measure.of, EdgeTerm):
        edge = draft.edges[measure.of.key]
        edge.hops = narrowed(edge.hops, Hops(minimum, maximum))
        _measure_paths(draft, measure.of.key)
    else:
        _limit_path(draft, measure.of.key, Hops(minimum, maximum))


def _limit_path(draft: Draft, key: int, limits: Hops) -> None:
    path = draft.paths[key]
    hops = narrowed(path.hops, limits)
    draft.paths[key] = _with_hops(path, hops)
    free = [edge for edge in path.edges if draft.edges[edge].hops.exact is None]
    if len(free) == 1:
        rest = sum(draft.edges[edge].hops.minimum for edge in path.edges if edge != free[0])
        edge = draft.edges[free[0]]
        most = None if hops.maximum is None else hops.maximum - rest
        edge.hops = narrowed(edge.hops, Hops(max(hops.minimum - rest, 0), most))
    elif not free and hops != path.hops and path.edges:
        # Fixed by its pattern and fixed otherwise by a condition: nothing is found.
        edge = draft.edges[path.edges[-1]]
        edge.hops = hops if len(path.edges) == 1 else Hops(1, 0)


def _measure_paths(draft: Draft, edge: int) -> None:
    for key, path in enumerate(draft.paths):
        if edge in path.edges and len(path.edges) == 1:
            draft.paths[key] = _with_hops(path, draft.edges[edge].hops)


def narrowed(first: Hops, second: Hops) -> Hops:
    """The lengths that both allow; the least is above the greatest where there is none."""
    bounds = [each for each in (first.maximum, second.maximum) if each is not None]
    return Hops(max(first.minimum, second.minimum), min(bounds) if bounds else None)


def _with_hops(path: PathReading, hops: Hops) -> PathReading:
    return PathReading(path.key, path.variable, path.nodes, path.edges, hops, path.shortest, path.scope)
