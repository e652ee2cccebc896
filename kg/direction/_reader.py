"""A query, read clause by clause with the names that each clause knows."""

from kg.cypher import Node, ParsedQuery, Rule, name_of
from kg.direction._expressions import ExpressionReader
from kg.direction._outline import Binding, Outline, Scope
from kg.direction._patterns import PatternReader
from kg.direction._predicates import core

_PATHS = (Rule.PATTERN_ELEMENT, Rule.PATH_PATTERN)
_WRITTEN = (Rule.CREATE_CLAUSE, Rule.MERGE_CLAUSE)


def read_outline(parsed: ParsedQuery, outline: Outline) -> None:
    """Read a query without errors into an outline."""
    reader = _ClauseReader(parsed, outline)
    for query in _outermost(parsed.root, Rule.REGULAR_QUERY):
        reader.query(query, {}, None)


class _ClauseReader:
    def __init__(self, parsed: ParsedQuery, outline: Outline) -> None:
        self._parsed = parsed
        self._outline = outline
        self._patterns = PatternReader(parsed, outline)
        self._expressions = ExpressionReader(parsed, outline, self._subquery, self._paths)

    def query(self, node: Node, scope: Scope, part: int | None, importing: bool = False) -> Scope:
        """Read a query with its UNION branches, and return what the columns that it returns stand for.

        Args:
            node: A regular query, or a single query that wraps one in braces.
            scope: What names stand for outside.
            part: The part it belongs to, None at the top.
            importing: Whether it knows outer names only by a WITH at its beginning.
        """
        branches = node.nodes(Rule.SINGLE_QUERY)
        returned: Scope = {}
        for branch in branches:
            wrapped = branch.node(Rule.REGULAR_QUERY)
            alone = len(branches) == 1 and part is not None
            own = part if alone and part is not None else self._outline.new_part(part)
            known = dict(scope) if not importing or self._imports(branch) else {}
            if wrapped is not None:
                returned = self.query(wrapped, known, own)
                continue
            returned = {}
            for clause in branch.nodes(Rule.CLAUSE):
                returned = self._clause(clause, known, own)
        # A column of a UNION is one thing or another: nothing is known of it.
        return returned if len(branches) == 1 else {}

    def _imports(self, branch: Node) -> bool:
        first = branch.node(Rule.CLAUSE)
        return first is not None and first.node(Rule.WITH_CLAUSE) is not None

    def _clause(self, clause: Node, scope: Scope, part: int) -> Scope:
        """Read a clause, change the scope as it does, and return the columns where it is a RETURN."""
        body = clause.nodes()[0]
        if body.rule == Rule.MATCH_CLAUSE:
            self._match(body, scope, part if body.token("OPTIONAL") is None else self._outline.new_part(part))
        elif body.rule == Rule.WITH_CLAUSE:
            projected = self._projection(body, scope, part)
            where = body.node(Rule.WHERE_CLAUSE)
            if where is not None:
                self._where(where, scope | projected, part)
            scope.clear()
            scope.update(projected)
        elif body.rule == Rule.RETURN_CLAUSE:
            return self._projection(body, scope, part)
        elif body.rule == Rule.UNWIND_CLAUSE:
            listed, variable = body.nodes()
            self._expressions.read(listed, scope, part)
            source = self._expressions.elements(listed, scope)
            scope[name_of(self._parsed, variable)] = Binding(self._outline.new_node(part, source))
        elif body.rule == Rule.SUBQUERY_CLAUSE:
            self._call(body, scope, part)
        elif body.rule == Rule.FOREACH_CLAUSE:
            known = dict(scope)
            for each in body.nodes():
                if each.rule == Rule.VARIABLE:
                    known[name_of(self._parsed, each)] = Binding(self._outline.new_node(part))
                elif each.rule == Rule.CLAUSE:
                    self._clause(each, known, part)
        elif body.rule in _WRITTEN:
            self._paths(body, scope, part, matched=False)
        else:
            self._expressions.read(body, scope, part)
        return {}

    def _match(self, body: Node, scope: Scope, part: int) -> None:
        """Read the patterns of a MATCH or of a subquery expression, and its WHERE."""
        patterns, where = body.node(Rule.PATTERN_LIST), body.node(Rule.WHERE_CLAUSE)
        if patterns is not None:
            self._paths(patterns, scope, part)
        if where is not None:
            self._where(where, scope, part)

    def _where(self, where: Node, scope: Scope, part: int) -> None:
        for condition in where.nodes():
            self._expressions.condition(condition, scope, part)
            self._expressions.read(condition, scope, part)

    def _paths(self, node: Node, scope: Scope, part: int, matched: bool = True) -> None:
        """Read the paths below a node, none of them within another, and the expressions within them."""
        for path in _outermost(node, *_PATHS):
            self._patterns.read(path, scope, part, matched)
        waiting, self._patterns.inside = self._patterns.inside, []
        for inside in waiting:
            if inside.condition:
                self._expressions.condition(inside.node, inside.scope, inside.part)
            self._expressions.read(inside.node, inside.scope, inside.part)

    def _subquery(self, node: Node, scope: Scope, part: int) -> None:
        """Read the inside of EXISTS, COUNT or COLLECT as a part of its own."""
        query = node.node(Rule.REGULAR_QUERY)
        own, known = self._outline.new_part(part), dict(scope)
        if query is None:
            self._match(node, known, own)
        else:
            self.query(query, known, own)

    def _call(self, body: Node, scope: Scope, part: int) -> None:
        query, stated = body.node(Rule.REGULAR_QUERY), body.node(Rule.SUBQUERY_SCOPE)
        if query is None:
            return
        own = part if body.token("OPTIONAL") is None else self._outline.new_part(part)
        known = scope
        if stated is not None and stated.token("TIMES") is None:
            names = [name_of(self._parsed, variable) for variable in stated.nodes(Rule.VARIABLE)]
            known = {name: scope[name] for name in names if name in scope}
        scope.update(self.query(query, known, own, importing=stated is None))

    def _projection(self, clause: Node, scope: Scope, part: int) -> Scope:
        """Read the items of a WITH or RETURN and return what their names stand for."""
        projected: Scope = {}
        body = clause.node(Rule.RETURN_BODY)
        items = None if body is None else body.node(Rule.RETURN_ITEMS)
        if body is None or items is None:
            return projected
        if items.token("TIMES") is not None:
            projected.update(scope)
        for item in items.nodes(Rule.RETURN_ITEM):
            expression, *alias = item.nodes()
            self._expressions.read(expression, scope, part)
            bound = self._expressions.binding(expression, scope)
            if alias or core(expression).rule == Rule.VARIABLE:
                name = name_of(self._parsed, (alias or [core(expression)])[0])
                projected.pop(name, None)
                if bound is not None:
                    projected[name] = bound
        for rest in body.nodes()[1:]:
            self._expressions.read(rest, scope | projected, part)
        return projected


def _outermost(node: Node, *rules: str) -> list[Node]:
    """The nodes of some rules here and below, none within another, in the order of the text."""
    found, waiting = [], [node]
    while waiting:
        at = waiting.pop()
        if at.rule in rules:
            found.append(at)
        else:
            waiting += at.nodes()[::-1]
    return found
