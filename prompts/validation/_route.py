"""The chain of relationships that leads to a molecule."""

from typing import NamedTuple

from kg.reading.model import Hops
from prompts.validation._case import Case
from prompts.validation._view import Link

_LONGEST = 40


class Route(NamedTuple):
    """A chain of links that ends at a molecule.

    Attributes:
        links: The links from the beginning to the end.
        nodes: The nodes between them, from the beginning to the end.
    """

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
    """Follow links as far as they go.

    Args:
        case: The query.
        node: Where to begin.
        upstream: Whether to go against the arrows, towards what a molecule is made from.
        through: Nodes that the route should come by if it can.
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
