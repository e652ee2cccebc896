"""Patterns read into nodes and edges that are joined by their variables."""

from kg.cypher import Node, length_of
from kg.reading._conditions import conjuncts
from kg.reading._draft import Context, Draft, EdgeDraft, NodeDraft
from kg.reading._expressions import Expressions
from kg.reading._model import Condition, Hops, PathReading, Use
from kg.reading._simplify import operation, property_of
from kg.reading._terms import EdgeTerm, GroupTerm, HasLabel, NodeTerm, PathTerm, Term, Unknown

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
        path = PathReading(
            len(self._draft.paths), name, tuple(nodes), tuple(edges), hops, shortest, context.scope
        )
        if name is not None or shortest:
            self._draft.paths.append(path)
        if name is not None:
            context.variables[name] = PathTerm(path.key)

    def _row(self, node: Node, context: Context) -> tuple[list[int], list[int]]:
        nodes: list[int] = []
        edges: list[int] = []
        waiting: Node | None = None
        children = node.nodes()
        after_part = False
        for place, child in enumerate(children):
            if child.rule == "nodePattern":
                if after_part:  # read already, as the end of that part
                    after_part = False
                    continue
                key = self._node(child, context)
                if waiting is not None:
                    edges.append(self._edge(waiting, nodes[-1], key, _quantifier(children, waiting), context))
                    waiting = None
                nodes.append(key)
            elif child.rule == "relationshipPattern":
                waiting = child
            elif child.rule == "parenthesizedPath":
                following = children[place + 1] if place + 1 < len(children) else None
                after_part = following is not None and following.rule == "nodePattern"
                end = self._node(following, context) if following is not None and after_part else None
                self._repeated(child, nodes, edges, end, context)
        return nodes, edges

    def _node(self, node: Node, context: Context) -> int:
        draft = self._draft
        named = node.node("variable")
        name = None if named is None else draft.name(named)
        bound = None if name is None else context.variables.get(name)
        if isinstance(bound, NodeTerm):
            key = bound.key
        else:
            key = len(draft.nodes)
            draft.nodes.append(NodeDraft(name, context.scope, context.optional, node.start, node.stop))
            if bound is not None:
                # Bound before to something else than a plain node: a list's element, say.
                self._condition(operation("=", NodeTerm(key), bound), node, context)
                if isinstance(bound, Unknown):
                    draft.miss(f"what `{name}` stands for", node)
            if name is not None:
                context.variables[name] = NodeTerm(key)
        self._labels(node, key, context)
        self._inside(node, NodeTerm(key), context)
        return key

    def _labels(self, node: Node, key: int, context: Context) -> None:
        expression = node.node("labelExpression")
        if expression is None:
            return
        test = self._expressions.label_test(NodeTerm(key), expression)
        demand(self._draft.nodes[key], test)

    def _inside(self, node: Node, of: Term, context: Context) -> None:
        """The property map and the WHERE of a node or relationship pattern."""
        properties, where = node.node("properties"), node.node("expression")
        entries = None if properties is None else properties.node("map")
        if entries is not None:
            keys = entries.nodes("propertyKeyName")
            for key, (name, value) in zip(keys, self._expressions.entries(entries, context), strict=False):
                self._draft.properties.append(Use(name, of, key.start, key.stop))
                self._condition(operation("=", property_of(of, name), value), entries, context)
        elif properties is not None:
            self._draft.miss("properties that are a parameter", properties)
        if where is not None:
            term = self._expressions.term(where, context)
            for each in conjuncts(term):
                self._condition(each, where, context)

    def _condition(self, term: Term, node: Node, context: Context) -> None:
        self._draft.conditions.append(
            Condition(term, context.scope, context.part, context.optional, node.start, node.stop)
        )

    def _edge(self, node: Node, left: int, right: int, quantifier: Node | None, context: Context) -> int:
        draft = self._draft
        arrow_left, arrow_right = node.node("leftArrow"), node.node("rightArrow")
        directed = (arrow_left is None) != (arrow_right is None)
        leftward = directed and arrow_left is not None
        named, length = node.node("variable"), node.node("pathLength")
        name = None if named is None else draft.name(named)
        hops = _ONCE if length is None else lengths(length)
        if quantifier is not None:
            hops = lengths(quantifier)
        key = len(draft.edges)
        draft.edges.append(
            EdgeDraft(
                start=right if leftward else left,
                end=left if leftward else right,
                directed=directed,
                leftward=leftward,
                types=self._types(node, EdgeTerm(key)),
                hops=hops,
                variable=name,
                part=context.part,
                optional=context.optional,
                scope=context.scope,
                inner=(),
                start_offset=node.start,
                stop_offset=node.stop if quantifier is None else quantifier.stop,
            )
        )
        if name is not None:
            bound = context.variables.get(name)
            if bound is not None:
                self._condition(operation("=", EdgeTerm(key), bound), node, context)
            context.variables[name] = EdgeTerm(key)
        self._inside(node, EdgeTerm(key), context)
        return key

    def _types(self, node: Node, of: Term) -> frozenset[str]:
        expression = node.node("labelExpression")
        if expression is None:
            return frozenset()
        found = list(expression.find_all("symbolicNameString", "symbolicLabelNameString"))
        names = [self._draft.name(each) for each in found]
        self._draft.types += [
            Use(name, of, each.start, each.stop) for name, each in zip(names, found, strict=True)
        ]
        if any(token.name in ("EXCLAMATION_MARK", "AMPERSAND", "PERCENT") for token in expression.tokens()):
            self._draft.miss("a type expression that is more than a choice", expression)
            return frozenset()
        return frozenset(names)

    def _repeated(
        self, node: Node, nodes: list[int], edges: list[int], end: int | None, context: Context
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
        within = Context(dict(context.variables), scope, context.part, context.optional)
        row, parts = self._row(inner, within)
        for where in node.nodes("expression"):
            for each in conjuncts(self._expressions.term(where, within)):
                self._condition(each, where, within)
        for name, term in within.variables.items():
            if name not in context.variables:
                context.variables[name] = GroupTerm(term)
        if not parts:
            draft.miss("a repeated pattern without a relationship", node)
            return
        left = self._open_end(nodes[-1] if nodes else None, row[0], context)
        right = self._open_end(end, row[-1], context)
        turned = self._runs_back(row, parts)
        unit = total([draft.edges[part].hops for part in parts])
        times = lengths(quantifier)
        edge = EdgeDraft(
            start=right if turned else left,
            end=left if turned else right,
            directed=all(draft.edges[part].directed for part in parts),
            leftward=turned,
            types=frozenset(kind for part in parts for kind in draft.edges[part].types),
            hops=Hops(
                unit.minimum * times.minimum,
                None if None in (unit.maximum, times.maximum) else (unit.maximum or 0) * (times.maximum or 0),
            ),
            variable=None,
            part=context.part,
            optional=context.optional,
            scope=context.scope,
            inner=tuple(parts),
            start_offset=node.start,
            stop_offset=node.stop,
        )
        draft.edges.append(edge)
        edges.append(len(draft.edges) - 1)
        nodes += [right] if nodes else [left, right]

    def _once(
        self, node: Node, inner: Node, nodes: list[int], edges: list[int], end: int | None, context: Context
    ) -> None:
        """A part in parentheses that is not repeated: its ends are the nodes beside it."""
        row, parts = self._row(inner, context)
        for where in node.nodes("expression"):
            for each in conjuncts(self._expressions.term(where, context)):
                self._condition(each, where, context)
        for own, beside in ((row[:1], nodes[-1:]), (row[-1:], [] if end is None else [end])):
            if own and beside:
                self._condition(operation("=", NodeTerm(own[0]), NodeTerm(beside[0])), node, context)
        nodes += row[1:] if nodes else row
        edges += parts

    def _open_end(self, beside: int | None, own: int, context: Context) -> int:
        """The node at an end of a repeated part: the one beside it, with the labels of its own end."""
        draft = self._draft
        model = draft.nodes[own]
        if beside is None:
            beside = len(draft.nodes)
            draft.nodes.append(NodeDraft(None, context.scope, context.optional, model.start, model.stop))
        draft.nodes[beside].written |= model.written
        draft.nodes[beside].choices += model.choices
        return beside

    def _runs_back(self, row: list[int], parts: list[int]) -> bool:
        """Whether the arrows of a part point from its right end to its left."""
        first = self._draft.edges[parts[0]]
        return first.directed and first.leftward


def _quantifier(children: list[Node], relationship: Node) -> Node | None:
    place = children.index(relationship) + 1
    return children[place] if place < len(children) and children[place].rule == "quantifier" else None


def demand(node: NodeDraft, test: Term) -> None:
    """Note what a label test demands of a node."""
    for each in conjuncts(test):
        if isinstance(each, HasLabel) and len(each.labels) == 1:
            node.written.update(each.labels)
        elif isinstance(each, HasLabel):
            node.choices.append(frozenset(each.labels))


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
