"""Reading patterns into nodes and edges that are joined by their variables."""

from dataclasses import replace

from retrocypher.kg.cypher.clauses import length_of
from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.semantics.builder import Context, Draft, conjuncts, operation, property_of, require
from retrocypher.kg.semantics.expressions import Expressions
from retrocypher.kg.semantics.query_model import (
    EdgeTerm,
    Element,
    GroupTerm,
    HasLabel,
    Hops,
    NodeTerm,
    PathTerm,
    PatternEdge,
    PatternNode,
    PatternPath,
    Term,
    Test,
    Unknown,
    Use,
)

_ONCE = Hops(1, 1)


class Patterns:
    """Reads the patterns of one query; new variables go into the context's dictionary."""

    def __init__(self, draft: Draft, expressions: Expressions) -> None:
        self._draft = draft
        self._expressions = expressions

    def pattern(self, node: Node, context: Context) -> None:
        """Read one pattern of a MATCH: a path, perhaps named, perhaps the shortest."""
        named = node.node("variable")
        selector = node.node("selector")
        shortest = selector is not None and selector.token("SHORTEST") is not None
        every = selector is not None and selector.token("ALL") is not None
        inner = node.node("anonymousPattern") or node
        function = inner.node("shortestPathPattern")
        elements = (function or inner).node("patternElement")
        if elements is None:
            self._draft.miss("a pattern of a kind that is not read", node)
            return
        name = None if named is None else self._draft.name(named)
        self.elements(elements, context, name, shortest=shortest or function is not None, every=every)

    def elements(
        self, node: Node, context: Context, name: str | None, *, shortest: bool = False, every: bool = False
    ) -> None:
        """Read nodes, relationships and repeated parts in a row."""
        nodes, edges = self._row(node, context)
        if not nodes:
            return
        hops = total([self._draft.edges[edge].hops for edge in edges])
        # Of paths that all have one length, all the shortest are all of them.
        shortest = shortest and not (every and hops.exact is not None)
        keys = tuple(node.key for node in nodes)
        path = PatternPath(len(self._draft.paths), name, keys, tuple(edges), hops, shortest, context.scope)
        if name is not None or shortest:
            self._draft.paths.append(path)
        if name is not None:
            context.variables[name] = PathTerm(path.key)

    def _row(self, node: Node, context: Context) -> tuple[list[NodeTerm], list[int]]:
        nodes: list[NodeTerm] = []
        edges: list[int] = []
        waiting: Node | None = None
        children = node.nodes()
        after_part = False
        for place, child in enumerate(children):
            if child.rule == "nodePattern":
                if after_part:  # read already, as the end of that part
                    after_part = False
                    continue
                found = self._node(child, context)
                if waiting is not None:
                    quantifier = _quantifier(children, waiting)
                    edges.append(self._edge(waiting, nodes[-1], found, quantifier, context))
                    waiting = None
                nodes.append(found)
            elif child.rule == "relationshipPattern":
                waiting = child
            elif child.rule == "parenthesizedPath":
                following = children[place + 1] if place + 1 < len(children) else None
                after_part = following is not None and following.rule == "nodePattern"
                end = self._node(following, context) if following is not None and after_part else None
                self._repeated(child, nodes, edges, end, context)
        return nodes, edges

    def _node(self, node: Node, context: Context) -> NodeTerm:
        draft = self._draft
        named = node.node("variable")
        name = None if named is None else draft.name(named)
        bound = None if name is None else context.variables.get(name)
        if isinstance(bound, NodeTerm):
            term = bound
        else:
            term = self._new_node(name, context, node.start, node.stop)
            if bound is not None:
                # Bound before to something else than a plain node: a list's element, say.
                require(draft, operation("=", term, bound), node, context)
                if isinstance(bound, Unknown):
                    draft.miss(f"what `{name}` stands for", node)
                if isinstance(bound, Element):
                    draft.nodes[term.key].element = bound.key
            if name is not None:
                context.variables[name] = term
        expression = node.node("labelExpression")
        if expression is not None:
            test = self._expressions.label_test(term, expression, context)
            draft.tests.append(Test(test, context.block, pattern=True))
            demand(draft.nodes[term.key], test)
        self._inside(node, term, context)
        return term

    def _new_node(self, name: str | None, context: Context, start: int, stop: int) -> NodeTerm:
        key = len(self._draft.nodes)
        self._draft.nodes.append(
            PatternNode(key, name, context.scope, context.block, context.optional, start, stop)
        )
        return NodeTerm(key)

    def _inside(self, node: Node, of: Term, context: Context) -> None:
        """The property map and the WHERE of a node or relationship pattern."""
        properties = node.node("properties")
        entries = None if properties is None else properties.node("map")
        if entries is not None:
            keys = entries.nodes("propertyKeyName")
            for key, (name, value) in zip(keys, self._expressions.entries(entries, context), strict=False):
                self._draft.properties.append(Use(name, of, context.block, key.start, key.stop))
                test = operation("=", property_of(of, name), value)
                require(self._draft, test, entries, context, pattern=True)
        elif properties is not None:
            self._draft.miss("properties that are a parameter", properties)
        self._where(node, context)

    def _where(self, node: Node, context: Context) -> None:
        for where in node.nodes("expression"):
            require(self._draft, self._expressions.term(where, context), where, context)

    def _edge(
        self, node: Node, left: NodeTerm, right: NodeTerm, quantifier: Node | None, context: Context
    ) -> int:
        draft = self._draft
        arrow_left, arrow_right = node.node("leftArrow"), node.node("rightArrow")
        directed = (arrow_left is None) != (arrow_right is None)
        named, length = node.node("variable"), node.node("pathLength")
        name = None if named is None else draft.name(named)
        hops = _ONCE if length is None else lengths(length)
        if quantifier is not None:
            hops = lengths(quantifier)
        key = len(draft.edges)
        bound = None if name is None else context.variables.get(name)
        draft.edges.append(
            PatternEdge(
                key=key,
                left=left,
                right=right,
                directed=directed,
                leftward=directed and arrow_left is not None,
                types=self._types(node, EdgeTerm(key), context),
                hops=hops,
                variable=name,
                same=self._same(bound, key),
                part=context.part,
                optional=context.optional,
                scope=context.scope,
                block=context.block,
                inner=(),
                start_offset=node.start,
                stop_offset=node.stop if quantifier is None else quantifier.stop,
            )
        )
        if name is not None:
            if bound is not None:
                require(draft, operation("=", EdgeTerm(key), bound), node, context)
            context.variables[name] = EdgeTerm(key)
        self._inside(node, EdgeTerm(key), context)
        return key

    def _same(self, bound: Term | None, key: int) -> int:
        """The edge that a variable stands for already; a list of edges is none."""
        if not isinstance(bound, EdgeTerm) or bound.element or self._draft.edges[bound.key].hops != _ONCE:
            return key
        return self._draft.edges[bound.key].same

    def _types(self, node: Node, of: Term, context: Context) -> frozenset[str]:
        expression = node.node("labelExpression")
        if expression is None:
            return frozenset()
        uses = self._expressions.names(of, expression, context)
        self._draft.types += uses
        self._draft.tests.append(Test(self._expressions.labels(of, expression), context.block, pattern=True))
        if any(token.name in ("EXCLAMATION_MARK", "AMPERSAND", "PERCENT") for token in expression.tokens()):
            self._draft.miss("a type expression that is more than a choice", expression)
            return frozenset()
        return frozenset(use.name for use in uses)

    def _repeated(
        self, node: Node, nodes: list[NodeTerm], edges: list[int], end: NodeTerm | None, context: Context
    ) -> None:
        """A part in parentheses: read on its own, then as one edge that repeats it."""
        draft = self._draft
        quantifier = node.node("quantifier")
        pattern = node.node("pattern")
        inner = None if pattern is None else pattern.find("patternElement")
        if inner is None:
            draft.miss("a pattern of a kind that is not read", node)
            return
        if quantifier is None:
            self._once(node, inner, nodes, edges, end, context)
            return
        scope = draft.scope(context.scope, "group", keeps_rows=context.optional)
        within = replace(context, variables=dict(context.variables), scope=scope)
        row, parts = self._row(inner, within)
        self._where(node, within)
        for name, term in within.variables.items():
            if name not in context.variables:
                context.variables[name] = GroupTerm(term)
        if not parts:
            draft.miss("a repeated pattern without a relationship", node)
            return
        left = self._open_end(nodes[-1] if nodes else None, row[0], context)
        right = self._open_end(end, row[-1], context)
        first = draft.edges[parts[0]]
        unit = total([draft.edges[part].hops for part in parts])
        times = lengths(quantifier)
        edge = PatternEdge(
            key=len(draft.edges),
            left=left,
            right=right,
            directed=all(draft.edges[part].directed for part in parts),
            leftward=first.directed and first.leftward,
            types=frozenset(kind for part in parts for kind in draft.edges[part].types),
            hops=Hops(
                unit.minimum * times.minimum,
                None if None in (unit.maximum, times.maximum) else (unit.maximum or 0) * (times.maximum or 0),
            ),
            variable=None,
            same=len(draft.edges),
            part=context.part,
            optional=context.optional,
            scope=context.scope,
            block=context.block,
            inner=tuple(parts),
            start_offset=node.start,
            stop_offset=node.stop,
        )
        draft.edges.append(edge)
        edges.append(edge.key)
        nodes += [right] if nodes else [left, right]

    def _once(
        self,
        node: Node,
        inner: Node,
        nodes: list[NodeTerm],
        edges: list[int],
        end: NodeTerm | None,
        context: Context,
    ) -> None:
        """A part in parentheses that is not repeated: its ends are the nodes beside it."""
        row, parts = self._row(inner, context)
        self._where(node, context)
        for own, beside in ((row[:1], nodes[-1:]), (row[-1:], [] if end is None else [end])):
            if own and beside:
                require(self._draft, operation("=", own[0], beside[0]), node, context)
        nodes += row[1:] if nodes else row
        edges += parts

    def _open_end(self, beside: NodeTerm | None, own: NodeTerm, context: Context) -> NodeTerm:
        """The node at an end of a repeated part: the one beside it, with the labels of its own end."""
        model = self._draft.nodes[own.key]
        if beside is None:
            beside = self._new_node(None, context, model.start, model.stop)
        node = self._draft.nodes[beside.key]
        node.written |= model.written
        node.choices += model.choices
        return beside


def _quantifier(children: list[Node], relationship: Node) -> Node | None:
    place = children.index(relationship) + 1
    return children[place] if place < len(children) and children[place].rule == "quantifier" else None


def demand(node: PatternNode, test: Term) -> None:
    """Note what a label test demands of a node."""
    for each in conjuncts(test):
        if isinstance(each, HasLabel) and len(each.labels) == 1:
            node.written |= set(each.labels)
        elif isinstance(each, HasLabel):
            node.choices += (frozenset(each.labels),)


def lengths(node: Node) -> Hops:
    """The counts that ``*1..3`` or ``{1,3}`` allows."""
    length = length_of(node)
    return Hops(length.minimum, length.maximum)


def total(hops: list[Hops]) -> Hops:
    """The length of several edges in a row."""
    maximum: int | None = 0
    for each in hops:
        maximum = None if maximum is None or each.maximum is None else maximum + each.maximum
    return Hops(sum(each.minimum for each in hops), maximum)
