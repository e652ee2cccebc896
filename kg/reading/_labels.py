"""Which labels nodes can have, and whether the schema lets edges run as they are written."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from kg.reading._draft import Draft, EdgeDraft
from kg.reading._model import Hops
from kg.reading._terms import NodeTerm
from kg.schema import Schema

Kind = frozenset[str]
"""The labels that a node has together."""

Pairs = frozenset[tuple[Kind, Kind]]

_LONGEST = 24
"""Hops beyond which nothing new is reached in any schema worth asking."""


class Labels:
    """Labels of the nodes of a draft, found by going round the edges until nothing changes."""

    def __init__(self, draft: Draft, schema: Schema) -> None:
        self._draft = draft
        self._kinds = frozenset(schema.nodes)
        self._schema = schema
        self.possible: list[frozenset[Kind]] = [self._kinds_of(place) for place in range(len(draft.nodes))]
        self.agreements: list[str] = ["unknown"] * len(draft.edges)
        self._infer()

    def labels(self, node: int) -> frozenset[str]:
        """The labels that a node can have."""
        return frozenset(label for kind in self.possible[node] for label in kind)

    def _kinds_of(self, place: int) -> frozenset[Kind]:
        node = self._draft.nodes[place]
        found = [
            kind
            for kind in self._kinds
            if node.written <= kind and all(choice & kind for choice in node.choices)
        ]
        return frozenset(found) or self._kinds

    def _infer(self) -> None:
        draft = self._draft
        edges = range(len(draft.edges))
        looked_up = {
            (use.of.key, use.name)
            for use in draft.properties
            if isinstance(use.of, NodeTerm) and not draft.nodes[use.of.key].written
        }
        for key, name in looked_up:
            having = frozenset(k for k in self.possible[key] if name in self._schema.nodes[k])
            self.possible[key] = having or self.possible[key]
        # The edges of which both ends are known go first: they decide, the others follow.
        waiting = sorted(edges, key=self._freedom)
        while waiting:
            place = waiting.pop(0)
            self._settle(place)
            waiting.sort(key=self._freedom)

    def _freedom(self, place: int) -> int:
        edge = self._draft.edges[place]
        return len(self.possible[edge.start]) * len(self.possible[edge.end])

    def _settle(self, place: int) -> None:
        edge = self._draft.edges[place]
        starts, ends = self.possible[edge.start], self.possible[edge.end]
        pairs = self.pairs(edge)
        forward = {(start, end) for start, end in pairs if start in starts and end in ends}
        backward = {(start, end) for start, end in pairs if start in ends and end in starts}
        if edge.directed:
            if forward:
                self._keep(edge.start, edge.end, forward)
                self.agreements[place] = "as_written"
            elif backward:
                self._keep(edge.end, edge.start, backward)
                self.agreements[place] = "turned"
            else:
                self.agreements[place] = "never"
        elif forward and backward:
            self.possible[edge.start] = frozenset({s for s, _ in forward} | {e for _, e in backward})
            self.possible[edge.end] = frozenset({e for _, e in forward} | {s for s, _ in backward})
            self.agreements[place] = "both"
        elif forward or backward:
            if backward:
                edge.start, edge.end = edge.end, edge.start
            self._keep(edge.start, edge.end, forward or backward)
            self.agreements[place] = "as_written"
        else:
            self.agreements[place] = "never"

    def _keep(self, start: int, end: int, pairs: Iterable[tuple[Kind, Kind]]) -> None:
        pairs = list(pairs)
        self.possible[start] = frozenset(each for each, _ in pairs)
        self.possible[end] = frozenset(each for _, each in pairs)

    def pairs(self, edge: EdgeDraft) -> Pairs:
        """The ends that an edge can join by the schema, in the direction of its arrow."""
        if edge.inner:
            return self._kinds_at_ends(edge)
        known = {kind for kind in edge.types if self._schema.has_type(kind)}
        if edge.types and not known:
            return frozenset((start, end) for start in self._kinds for end in self._kinds)
        # A single relationship without an arrow still runs one way in the graph: which one, its ends tell.
        one_way = edge.directed or edge.hops == (1, 1)
        return reachable(self._schema.connections, frozenset(known), edge.hops, one_way)

    def _kinds_at_ends(self, edge: EdgeDraft) -> Pairs:
        """A repeated part joins what its own ends can be: they are read before it."""
        return frozenset((s, e) for s in self.possible[edge.start] for e in self.possible[edge.end])


@lru_cache(maxsize=512)
def reachable(
    connections: frozenset[tuple[Kind, str, Kind]], types: frozenset[str], hops: Hops, directed: bool
) -> Pairs:
    """The pairs of kinds between which there can be a walk of so many relationships of these types."""
    steps = {(start, end) for start, kind, end in connections if not types or kind in types}
    if not directed:
        steps |= {(end, start) for start, end in steps}
    every = {kind for start, _, end in connections for kind in (start, end)}
    after: Mapping[Kind, set[Kind]] = {kind: {e for s, e in steps if s == kind} for kind in every}
    found: set[tuple[Kind, Kind]] = set()
    maximum = min(_LONGEST if hops.maximum is None else hops.maximum, max(_LONGEST, hops.minimum))
    front = {(kind, kind) for kind in every}
    for count in range(maximum + 1):
        if count >= hops.minimum:
            found |= front
        front = {(start, further) for start, end in front for further in after[end]}
        if not front:
            break
    return frozenset(found)
