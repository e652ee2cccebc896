"""Routes: the chain of relationships that leads to a molecule, and places along it."""

import operator
from collections.abc import Callable, Mapping
from typing import NamedTuple

from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.query_model import (
    Call,
    Comprehension,
    Constant,
    Element,
    HasLabel,
    Hops,
    Operation,
    PathTerm,
    Property,
    Term,
)
from retrocypher.prompts.validation.finding import Case
from retrocypher.prompts.validation.graph_view import Link

_LONGEST = 40


class Route(NamedTuple):
    """A chain of links that ends at a molecule, and the nodes between them, in order."""

    links: tuple[Link, ...]
    nodes: tuple[int, ...]

    @property
    def hops(self) -> Hops:
        """How many relationships it follows."""
        maximum: int | None = 0
        for link in self.links:
            most = link.hops.maximum
            maximum = None if maximum is None or most is None else maximum + most
        return Hops(sum(link.hops.minimum for link in self.links), maximum)

    @property
    def start(self) -> int:
        """The node it begins with."""
        return self.nodes[0]


def longest_route(case: Case, node: int, *, upstream: bool, through: set[int]) -> Route:
    """Follow links from a node as far as they go.

    Upstream is against the arrows, towards what a molecule is made from. `through` are nodes that the route
    should come by if it can.
    """
    links = [link for link in case.view.links if link.status != "negated" and _in_query(case, link)]

    def follow(
        at: int, used: tuple[Link, ...], nodes: tuple[int, ...]
    ) -> tuple[tuple[Link, ...], tuple[int, ...]]:
        best = used, nodes
        if len(used) >= _LONGEST:
            return best
        for link in links:
            if link in used:
                continue
            further = _beyond(link, at, upstream=upstream)
            if further is None or further in nodes:
                continue
            found = follow(further, (*used, link), (*nodes, further))
            if _worth(found, through) > _worth(best, through):
                best = found
        return best

    used, nodes = follow(node, (), (node,))
    return Route(used[::-1], nodes[::-1]) if upstream else Route(used, nodes)


def _worth(found: tuple[tuple[Link, ...], tuple[int, ...]], through: set[int]) -> tuple[int, int]:
    links, nodes = found
    length = sum(link.hops.maximum or _LONGEST for link in links)
    return (len(through & set(nodes)), length)


def _beyond(link: Link, at: int, *, upstream: bool) -> int | None:
    """The node on the other side of a link, where it can be followed from this one."""
    near, far = (link.end, link.start) if upstream else (link.start, link.end)
    if near == at:
        return far
    if link.edge.agreement == "both" and far == at:
        return near
    return None


def _in_query(case: Case, link: Link) -> bool:
    return case.reading.scopes[link.edge.scope].kind not in ("group", "collect")


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
_LONGEST_PATH = 200


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
                return None if length is None or length > _LONGEST_PATH else (key, list(range(length + 1)))
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
        if path is None or first is None or last is None or not step or abs(last - first) > _LONGEST_PATH:
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
