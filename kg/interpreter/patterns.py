"""Matching the patterns of a query's tree in a small graph.

All paths are tried, and no relationship is used twice by the patterns of one clause.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from retrocypher.kg.cypher.clauses import length_of
from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.interpreter.expressions import Expressions
from retrocypher.kg.interpreter.graph import GraphNode, GraphPath, GraphRelationship, SmallGraph, Value
from retrocypher.kg.interpreter.values import NotInterpretedError, QueryFailsError, equal

Row = dict[str | Node, Value]
Used = frozenset[GraphRelationship]
Direction = Literal["out", "in", "both"]

_TURNED: Final[dict[Direction, Direction]] = {"out": "in", "in": "out", "both": "both"}


@dataclass(frozen=True, slots=True, eq=False)
class NodePart:
    """A node of a pattern; what its properties and its WHERE ask stays in the tree."""

    variable: str | None = None
    labels: Node | None = None
    properties: Node | None = None
    where: Node | None = None

    @property
    def narrow(self) -> bool:
        """Whether it says more than a label."""
        return self.properties is not None or self.where is not None


@dataclass(frozen=True, slots=True, eq=False)
class EdgePart:
    """A relationship of a pattern; ``length`` is None for a single one."""

    direction: Direction
    variable: str | None
    types: Node | None
    properties: Node | None
    where: Node | None
    length: tuple[int, int | None] | None


@dataclass(frozen=True, slots=True, eq=False)
class GroupPart:
    """A pattern in parentheses; ``times`` is None where it is not repeated."""

    parts: "Parts"
    where: Node | None
    times: tuple[int, int | None] | None
    variables: tuple[str, ...]


Parts = tuple[NodePart | EdgePart | GroupPart, ...]
"""Nodes at even places, what joins them at odd ones."""


@dataclass(frozen=True, slots=True, eq=False)
class PathPattern:
    """One pattern of a MATCH.

    Attributes:
        shortest: How many of the shortest paths between two nodes are kept; 0 for all of those of the least
            length, None where all paths are.
        filtered_first: Whether the WHERE of the clause is asked before the shortest are chosen.
    """

    variable: str | None
    parts: Parts
    variables: tuple[str, ...]
    shortest: int | None = None
    filtered_first: bool = False


Filters = Sequence[tuple[Node, frozenset[str]]]
"""Conditions that the result has to fulfil, each with the variables it names."""


class Found(NamedTuple):
    """A match so far: the row, the relationships that are taken, the path, and the conditions to come."""

    row: Row
    used: Used
    nodes: tuple[GraphNode, ...]
    relationships: tuple[GraphRelationship, ...]
    filters: Filters = ()


class Patterns:
    """Reads patterns of the tree and finds their matches."""

    def __init__(self, graph: SmallGraph, expressions: Expressions) -> None:
        self._graph = graph
        self._expressions = expressions
        self._read: dict[Node, PathPattern] = {}

    def read(self, node: Node) -> PathPattern:
        """Read a pattern once."""
        if node not in self._read:
            self._read[node] = self._pattern(node)
        return self._read[node]

    def match(
        self, patterns: Sequence[PathPattern], where: Node | None, row: Row, filters: Filters = ()
    ) -> Iterator[Row]:
        """Yield a row for each match of all patterns of a clause.

        What does not fulfil one of the filters may be left out: they are asked as soon as their variables
        are known, which keeps the number of matches small.
        """
        first = where if any(each.filtered_first for each in patterns) else None
        if any(each.shortest is not None for each in patterns):
            filters = ()
        for found in self._all(patterns, 0, Found(row, frozenset(), (), (), filters), first):
            if where is None or where is first or self._expressions.holds(where, found.row):
                yield found.row

    def _all(
        self, patterns: Sequence[PathPattern], place: int, found: Found, first: Node | None
    ) -> Iterator[Found]:
        if place == len(patterns):
            yield found
            return
        for each in self._one(patterns[place], found, first):
            yield from self._all(patterns, place + 1, each, first)

    def _one(self, pattern: PathPattern, found: Found, first: Node | None) -> Iterator[Found]:
        """Yield the matches of one pattern, the path bound to its variable."""
        turned = self._starts_better_at_end(pattern, found.row)
        parts = _turned(pattern.parts) if turned else pattern.parts
        matches = (self._bound(pattern, each, turned) for each in self._from_start(parts, found))
        if pattern.shortest is None:
            yield from matches
        else:
            kept = (each for each in matches if first is None or self._expressions.holds(first, each.row))
            yield from _shortest(kept, pattern.shortest)

    @staticmethod
    def _bound(pattern: PathPattern, found: Found, turned: bool) -> Found:
        nodes, relationships, row = found.nodes, found.relationships, found.row
        if turned:
            nodes, relationships = nodes[::-1], relationships[::-1]
            lists: Row = {
                part.variable: row[part.variable][::-1]
                for part in pattern.parts
                if isinstance(part, EdgePart) and part.length is not None and part.variable is not None
            }
            row = {**row, **lists}
        if pattern.variable is not None:
            row = {**row, pattern.variable: GraphPath(nodes, relationships)}
        return found._replace(row=row, nodes=nodes, relationships=relationships)

    def _starts_better_at_end(self, pattern: PathPattern, row: Row) -> bool:
        """Whether fewer nodes come into question at the end; never where a part is repeated."""
        if any(isinstance(part, GroupPart) for part in pattern.parts):
            return False
        start, end = pattern.parts[0], pattern.parts[-1]
        assert isinstance(start, NodePart)
        assert isinstance(end, NodePart)
        ranks = [0 if part.variable in row else 1 if part.narrow else 2 for part in (start, end)]
        return ranks[1] < ranks[0]

    def _from_start(self, parts: Parts, found: Found) -> Iterator[Found]:
        start = parts[0]
        assert isinstance(start, NodePart)
        for node in self._candidates(start, found.row):
            row = self._node(start, node, found)
            if row is not None:
                yield from self._along(parts, 1, found._replace(row=row, nodes=(node,), relationships=()))

    def _candidates(self, part: NodePart, row: Row) -> Sequence[GraphNode]:
        if part.variable is None or part.variable not in row:
            return self._graph.nodes
        bound = row[part.variable]
        if bound is not None and not isinstance(bound, GraphNode):
            raise NotInterpretedError(f"`{part.variable}` as a node")
        return () if bound is None else (bound,)

    def _node(self, part: NodePart, node: GraphNode, found: Found) -> Row | None:
        """The row with a node bound; None where it does not fit."""
        self._expressions.step()
        row, new = found.row, part.variable is not None and part.variable not in found.row
        if part.variable is not None:
            if part.variable in row and row[part.variable] is not node:
                return None
            row = {**row, part.variable: node}
        if part.labels is not None and not self._expressions.labelled(node, part.labels):
            return None
        if not self._fits(part, node, row):
            return None
        for condition, variables in found.filters if new else ():
            known = part.variable in variables and variables <= row.keys()
            if known and not self._expressions.holds(condition, row):
                return None
        return row

    def _fits(self, part: NodePart | EdgePart, element: GraphNode | GraphRelationship, row: Row) -> bool:
        if part.properties is not None:
            wanted = self._expressions.map_entries(part.properties, row)
            if not all(equal(element.properties.get(key), each) is True for key, each in wanted.items()):
                return False
        return part.where is None or self._expressions.holds(part.where, row)

    def _along(self, parts: Parts, place: int, found: Found) -> Iterator[Found]:
        """Yield the matches of the parts from a place on, which begins at the last node found."""
        if place == len(parts):
            yield found
            return
        part, following = parts[place], parts[place + 1]
        assert isinstance(following, NodePart)
        match part:
            case EdgePart(length=None):
                reached = self._step(part, found)
            case EdgePart():
                reached = self._repeated(part, found)
            case GroupPart(times=None):
                reached = self._from_here(part, found)
            case GroupPart():
                reached = self._group(part, found)
            case _:
                raise AssertionError
        for each in reached:
            row = self._node(following, each.nodes[-1], each)
            if row is not None:
                yield from self._along(parts, place + 2, each._replace(row=row))

    def _edges(self, part: EdgePart, node: GraphNode) -> Iterator[GraphRelationship]:
        if part.direction != "in":
            yield from self._graph.outgoing(node)
        if part.direction != "out":
            for each in self._graph.incoming(node):
                if part.direction == "in" or each.start is not node:
                    yield each

    def _step(self, part: EdgePart, found: Found, *, bind: bool = True) -> Iterator[Found]:
        """Yield the matches with one relationship more."""
        node, bound = found.nodes[-1], None
        if bind and part.variable is not None and part.variable in found.row:
            bound = found.row[part.variable]
            if not isinstance(bound, GraphRelationship):
                return
        for edge in self._edges(part, node):
            self._expressions.step()
            if edge in found.used or (bound is not None and bound is not edge):
                continue
            if part.types is not None and not self._expressions.labelled(edge, part.types):
                continue
            row = found.row
            if bind and part.variable is not None:
                row = {**row, part.variable: edge}
            within = row if bind or part.variable is None else {**row, part.variable: edge}
            if self._fits(part, edge, within):
                yield found._replace(
                    row=row,
                    used=found.used | {edge},
                    nodes=(*found.nodes, edge.other(node)),
                    relationships=(*found.relationships, edge),
                )

    def _repeated(self, part: EdgePart, found: Found) -> Iterator[Found]:
        """Yield the matches with as many relationships more as a variable length allows."""
        assert part.length is not None
        least, most = part.length
        begin = len(found.relationships)
        if part.variable is not None and part.variable in found.row:
            raise NotInterpretedError(f"`{part.variable}` as a list of relationships that is given")
        waiting = [found]
        while waiting:
            each = waiting.pop()
            count = len(each.relationships) - begin
            if count >= least:
                row = each.row
                if part.variable is not None:
                    row = {**row, part.variable: list(each.relationships[begin:])}
                yield each._replace(row=row)
            if most is None or count < most:
                waiting += self._step(part, each, bind=False)

    def _from_here(self, part: GroupPart, found: Found) -> Iterator[Found]:
        """Yield the matches of a pattern in parentheses that begins at the last node found."""
        start = part.parts[0]
        assert isinstance(start, NodePart)
        row = self._node(start, found.nodes[-1], found)
        if row is None:
            return
        for each in self._along(part.parts, 1, found._replace(row=row)):
            if part.where is None or self._expressions.holds(part.where, each.row):
                yield each

    def _group(self, part: GroupPart, found: Found) -> Iterator[Found]:
        """Yield the matches of a repeated pattern; outside of it, its variables are lists."""
        assert part.times is not None
        least, most = part.times
        outer = found.row
        empty: Row = {name: [] for name in part.variables}
        waiting = [(0, found, empty)]
        while waiting:
            count, each, lists = waiting.pop()
            self._expressions.step()
            if count >= least:
                yield each._replace(row={**outer, **lists})
            if most is not None and count >= most:
                continue
            for further in self._from_here(part, each._replace(row=outer)):
                if len(further.relationships) > len(each.relationships):
                    longer: Row = {name: [*lists[name], further.row[name]] for name in part.variables}
                    waiting.append((count + 1, further, longer))

    def _pattern(self, node: Node) -> PathPattern:
        inner = node.node("anonymousPattern") or node
        function = inner.node("shortestPathPattern") or (node if node.rule == "shortestPathPattern" else None)
        elements = (function or inner).node("patternElement")
        if node.rule == "pathPatternNonEmpty":
            elements = node
        if elements is None:
            raise NotInterpretedError("a pattern of this kind")
        named = None if function is node else node.node("variable")
        variable = None if named is None else self._expressions.name(named)
        parts = self._parts(elements)
        shortest = _selected(node.node("selector"))
        if function is not None:
            shortest = 0 if function.token("ALL_SHORTEST_PATHS") is not None else 1
        names = tuple(_variables(parts)) + (() if variable is None else (variable,))
        return PathPattern(variable, parts, names, shortest, function is not None)

    def _parts(self, node: Node) -> Parts:
        """The parts of a pattern; where two stand side by side, a node without a name is between them."""
        parts: list[NodePart | EdgePart | GroupPart] = []
        children = node.nodes()
        for place, child in enumerate(children):
            following = children[place + 1] if place + 1 < len(children) else None
            if child.rule == "nodePattern":
                if len(parts) % 2:
                    raise QueryFailsError("two nodes stand side by side in a pattern")
                parts.append(self._node_part(child))
            elif child.rule == "relationshipPattern":
                quantified = following is not None and following.rule == "quantifier"
                parts.append(self._edge_part(child, following if quantified else None))
            elif child.rule == "parenthesizedPath":
                if len(parts) % 2 == 0:
                    parts.append(NodePart())
                parts.append(self._group_part(child))
        if len(parts) % 2 == 0:
            parts.append(NodePart())
        return tuple(parts)

    def _node_part(self, node: Node) -> NodePart:
        variable = node.node("variable")
        return NodePart(
            None if variable is None else self._expressions.name(variable),
            node.node("labelExpression"),
            _map(node),
            next(iter(node.nodes("expression")), None),
        )

    def _edge_part(self, node: Node, quantifier: Node | None) -> EdgePart:
        left, right = node.node("leftArrow") is not None, node.node("rightArrow") is not None
        variable, length = node.node("variable"), quantifier or node.node("pathLength")
        return EdgePart(
            "both" if left == right else "in" if left else "out",
            None if variable is None else self._expressions.name(variable),
            node.node("labelExpression"),
            _map(node),
            next(iter(node.nodes("expression")), None),
            None if length is None else _times(length),
        )

    def _group_part(self, node: Node) -> GroupPart:
        pattern, quantifier = node.nodes("pattern")[0], node.node("quantifier")
        if pattern.node("variable") is not None or pattern.node("selector") is not None:
            raise NotInterpretedError("a named path in parentheses")
        inner = pattern.find("patternElement")
        if inner is None:
            raise NotInterpretedError("a pattern of this kind")
        parts = self._parts(inner)
        where = next(iter(node.nodes("expression")), None)
        times = None if quantifier is None else _times(quantifier)
        return GroupPart(parts, where, times, tuple(dict.fromkeys(_variables(parts))))


def _map(node: Node) -> Node | None:
    properties = node.node("properties")
    if properties is None:
        return None
    entries = properties.node("map")
    if entries is None:
        raise NotInterpretedError("properties that are a parameter")
    return entries


def _times(node: Node) -> tuple[int, int | None]:
    length = length_of(node)
    return length.minimum, length.maximum


def _selected(selector: Node | None) -> int | None:
    """How many paths between two nodes a selector such as ``ANY SHORTEST`` keeps, as in `PathPattern`."""
    if selector is None:
        return None
    words = [token.name for token in selector.tokens()]
    numbers = [int(token.text) for token in selector.tokens() if token.text.isdecimal()]
    if "SHORTEST" in words and not any(word.startswith("GROUP") for word in words):
        return 0 if "ALL" in words else (numbers or [1])[0]
    if words[0] == "ALL":
        return None
    raise NotInterpretedError("a choice of paths of this kind")


def _variables(parts: Parts) -> Iterator[str]:
    for part in parts:
        if isinstance(part, GroupPart):
            yield from part.variables
        elif part.variable is not None:
            yield part.variable


def _turned(parts: Parts) -> Parts:
    """The same pattern, written from its end."""
    turned: list[NodePart | EdgePart | GroupPart] = []
    for part in reversed(parts):
        if isinstance(part, EdgePart):
            turned.append(
                EdgePart(
                    _TURNED[part.direction],
                    part.variable,
                    part.types,
                    part.properties,
                    part.where,
                    part.length,
                )
            )
        else:
            turned.append(part)
    return tuple(turned)


def _shortest(found: Iterator[Found], count: int) -> Iterator[Found]:
    """Yield the shortest paths between each two nodes: as many as asked for, or all of the least length."""
    pairs: dict[tuple[GraphNode, GraphNode], list[Found]] = {}
    for each in found:
        pairs.setdefault((each.nodes[0], each.nodes[-1]), []).append(each)
    for paths in pairs.values():
        paths.sort(key=lambda each: len(each.relationships))
        least = len(paths[0].relationships)
        kept = paths[:count] if count else [each for each in paths if len(each.relationships) == least]
        yield from kept
