"""Which nodes of a path of known length an expression takes, by their places."""

import operator
from collections.abc import Callable, Mapping

from kg.reading.model import (
    Call,
    Comprehension,
    Constant,
    Element,
    HasLabel,
    Operation,
    PathTerm,
    Property,
    Term,
)
from kg.reading.simplify import walk
from prompts.validation._case import Case

_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LONGEST = 200


class Places:
    """Reads places within the paths of a query."""

    def __init__(self, case: Case) -> None:
        self._case = case

    def is_reaction(self, path: int, place: int) -> bool:
        """Whether a reaction stands at a place of a path, where molecules and reactions take turns."""
        first = self._case.reading.paths[path].nodes[0]
        return (place % 2 == 1) != self._case.view.is_reaction(first)

    def reactions(self, path: int) -> list[int]:
        """The places of all reactions of a path of fixed length."""
        length = self._case.reading.paths[path].hops.exact or 0
        return [place for place in range(length + 1) if self.is_reaction(path, place)]

    def listed(self, term: Term) -> tuple[int, list[int]] | None:
        """The path and the places of the nodes in a list; None where they cannot be told."""
        match term:
            case Call("nodes", (PathTerm(key),)):
                length = self._case.reading.paths[key].hops.exact
                return None if length is None or length > _LONGEST else (key, list(range(length + 1)))
            case Call("reverse", (inner,)):
                found = self.listed(inner)
                return None if found is None else (found[0], found[1][::-1])
            case Call("tail", (inner,)):
                found = self.listed(inner)
                return None if found is None else (found[0], found[1][1:])
            case Comprehension("list", element, where, projection):
                return self._kept(element, where, projection)
        return None

    def one(self, term: Term) -> tuple[int, int] | None:
        """The path and the place of the single node that is taken out of a list."""
        match term:
            case Property(Operation("[]", _) | Call("head" | "last", _) as inner, _):
                return self.one(inner)
            case Call("head", (inner,)):
                return self._at(inner, 0)
            case Call("last", (inner,)):
                return self._at(inner, -1)
            case Operation("[]", (inner, index)):
                place = self._number(index, {})
                return None if place is None else self._at(inner, place)
        return None

    def _at(self, inner: Term, place: int) -> tuple[int, int] | None:
        found = self.listed(inner)
        if found is None or not -len(found[1]) <= place < len(found[1]):
            return None
        return found[0], found[1][place]

    def _kept(
        self, element: Element, where: Term | None, projection: Term | None
    ) -> tuple[int, list[int]] | None:
        source = element.of
        if isinstance(source, Call) and source.name == "range":
            return self._counted(element, where, projection)
        found = self.listed(source)
        if found is None or (projection is not None and not _same(projection, element)):
            return None
        path, places = found
        match where:
            case None:
                return found
            case HasLabel(of, (label,)) if of == element:
                reaction = label == self._case.domain.reaction
                return path, [each for each in places if self.is_reaction(path, each) == reaction]
        return None

    def _counted(
        self, element: Element, where: Term | None, projection: Term | None
    ) -> tuple[int, list[int]] | None:
        """The nodes at numbers that are counted out."""
        assert isinstance(element.of, Call)
        bounds = [self._number(each, {}) for each in element.of.arguments]
        taken = [
            each.operands
            for each in (() if projection is None else walk(projection))
            if isinstance(each, Operation) and each.operator == "[]"
        ]
        if len(taken) != 1 or not 2 <= len(bounds) <= 3:
            return None
        path = self.listed(taken[0][0])
        first, last, step = (*bounds, 1)[:3]
        if path is None or first is None or last is None or not step or abs(last - first) > _LONGEST:
            return None
        places: list[int] = []
        for number in range(first, last + (1 if step > 0 else -1), step):
            kept = 1 if where is None else self._number(where, {element: number})
            place = self._number(taken[0][1], {element: number})
            if kept is None or place is None:
                return None
            if kept and -len(path[1]) <= place < len(path[1]):
                places.append(path[1][place])
        return path[0], places

    def _number(self, term: Term, values: Mapping[Term, int]) -> int | None:
        """The number, or truth as 0 or 1, that a term comes to; None where it cannot be told."""
        if term in values:
            return values[term]
        match term:
            case Constant(int() as value):
                return int(value)
            case Call("length", (PathTerm(key),)) | Call("size", (Call("relationships", (PathTerm(key),)),)):
                return self._case.reading.paths[key].hops.exact
            case Call("size", (inner,)):
                found = self.listed(inner)
                return None if found is None else len(found[1])
            case Operation(sign, (left, right)):
                return _worked_out(sign, self._number(left, values), self._number(right, values))
        return None


def _worked_out(sign: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    if sign in ("%", "/"):
        # Cypher cuts towards zero; places are never negative where that would matter.
        return None if right <= 0 or left < 0 else left % right if sign == "%" else left // right
    if sign in ("and", "or"):
        return int(bool(left and right) if sign == "and" else bool(left or right))
    work = _ARITHMETIC.get(sign)
    return None if work is None else int(work(left, right))


def _same(projection: Term, element: Element) -> bool:
    """Whether a projection hands an element on, or looks up one of its properties."""
    return projection == element or (isinstance(projection, Property) and projection.of == element)
