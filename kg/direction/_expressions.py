"""Expressions: what they say of variables, and the patterns and subqueries within them."""

from typing import Protocol

from kg.cypher import Node, ParsedQuery, Rule, Token, name_of
from kg.direction._outline import ASKED, READ, Binding, Outline, Scope
from kg.direction._predicates import Predicate, core, property_of

_SUBQUERIES = (Rule.EXISTS, Rule.COUNT, Rule.COLLECT)
_PATTERNS = (Rule.PATTERN_EXPRESSION, Rule.SHORTEST_PATH_EXPRESSION)
_LOCAL = (Rule.LIST_COMPREHENSION, Rule.LIST_PREDICATE, Rule.REDUCE)


class Handler(Protocol):
    """Reads a subquery or the paths below a node, with the names known and the part it stands in."""

    def __call__(self, node: Node, scope: Scope, part: int, /) -> None:
        """Read it."""


class ExpressionReader:
    """Reads expressions.

    Args:
        parsed: The query.
        outline: Where to note what is read.
        subquery: Reads an EXISTS, COUNT or COLLECT.
        paths: Reads the paths below a node.
    """

    def __init__(self, parsed: ParsedQuery, outline: Outline, subquery: Handler, paths: Handler) -> None:
        self._parsed = parsed
        self._outline = outline
        self._subquery = subquery
        self._paths = paths

    def read(self, expression: Node, scope: Scope, part: int) -> None:
        """Note the properties that are read of variables, and read the patterns within."""
        waiting = [(expression, scope)]
        while waiting:
            node, known = waiting.pop()
            if node.rule in _SUBQUERIES:
                self._subquery(node, known, part)
            elif node.rule in _PATTERNS:
                self._paths(node, dict(known), self._outline.new_part(part))
            elif node.rule == Rule.PATTERN_COMPREHENSION:
                self._comprehension(node, dict(known), self._outline.new_part(part))
            elif node.rule in _LOCAL:
                waiting += self._local(node, known, part)
            else:
                if node.rule == Rule.ACCESS and len(node.children) > 1:
                    self._note_read(node, known, part)
                waiting += [(child, known) for child in node.children if isinstance(child, Node)]

    def condition(self, expression: Node, scope: Scope, part: int) -> None:
        """Note what a condition that must be true says of labels, types and properties."""
        names = {name_of(self._parsed, variable) for variable in expression.find_all(Rule.VARIABLE)}
        keys = {
            found
            for access in expression.find_all(Rule.ACCESS)
            if len(access.children) > 1 and (found := property_of(self._parsed, access)) is not None
        }
        for name in names & scope.keys():
            if scope[name].listed:
                continue
            number = scope[name].thing
            universe = self._outline.things[number].universe
            choices = Predicate(self._parsed, name, universe).ask(expression).true
            self._outline.say_labels(number, part, choices)
            for key in {key for variable, key in keys if variable == name and key in universe.having}:
                needed = Predicate(self._parsed, name, universe, key).ask(expression).true
                if needed & choices & ~universe.having[key] == 0:
                    self._outline.say_property(number, part, key, ASKED)

    def binding(self, expression: Node, scope: Scope) -> Binding | None:
        """What an expression stands for: a variable's thing, or the list that ``collect`` makes of such."""
        node = core(expression)
        if node.rule == Rule.VARIABLE:
            return scope.get(name_of(self._parsed, node))
        name, arguments = node.node(Rule.FUNCTION_NAME), node.nodes(Rule.FUNCTION_ARGUMENT)
        if name is None or len(arguments) != 1 or self._parsed.source(name).lower() != "collect":
            return None
        bound = self.binding(arguments[0].nodes()[0], scope)
        return None if bound is None or bound.listed else Binding(bound.thing, listed=True)

    def elements(self, expression: Node, scope: Scope) -> int | None:
        """The thing that the elements of a list are like."""
        bound = self.binding(expression, scope)
        return bound.thing if bound is not None and bound.listed else None

    def _note_read(self, access: Node, scope: Scope, part: int) -> None:
        found = property_of(self._parsed, access)
        if found is not None and found[0] in scope and not scope[found[0]].listed:
            self._outline.say_property(scope[found[0]].thing, part, found[1], READ)

    def _comprehension(self, node: Node, scope: Scope, part: int) -> None:
        where = node.token("WHERE")
        path, *others = (child for child in node.nodes() if child.rule != Rule.VARIABLE)
        self._paths(path, scope, part)
        if where is not None:
            self.condition(others[0], scope, part)
        for other in others:
            self.read(other, scope, part)

    def _local(self, node: Node, scope: Scope, part: int) -> list[tuple[Node, Scope]]:
        """Note the variable that an expression has for itself; return what it holds with the names known."""
        known = dict(scope)
        held: list[tuple[Node, Scope]] = []
        variable, awaited = "", ""
        for child in node.children:
            if isinstance(child, Token):
                awaited = child.name
            elif awaited in ("LBRACKET", "LPAREN", "COMMA"):
                variable, awaited = name_of(self._parsed, child), ""
                known.pop(variable, None)
            elif awaited == "IN":
                source = self.elements(child, scope)
                known[variable] = Binding(self._outline.new_node(part, source))
                held.append((child, scope))
            else:
                held.append((child, known))
                if awaited == "WHERE":
                    self.condition(child, known, part)
        return held
