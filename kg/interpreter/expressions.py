"""Working out the expressions of a query's tree for one row."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Protocol

from retrocypher.kg.cypher.edits import literal_value
from retrocypher.kg.cypher.parser import ParsedQuery, number_value
from retrocypher.kg.cypher.tokens import Node, Token
from retrocypher.kg.interpreter.functions import AGGREGATES, UNKNOWN_AGGREGATES, call, look_up
from retrocypher.kg.interpreter.graph import GraphNode, GraphRelationship, Value
from retrocypher.kg.interpreter.operators import calculated, compared, contained, fits, listed
from retrocypher.kg.interpreter.values import (
    NotInterpretedError,
    QueryFailsError,
    both,
    checked,
    either,
    equal,
    negated,
)

Row = Mapping[str | Node, Value]
"""The values of variables by name; in a projection also those of aggregates, by their place in the tree."""

_WHOLE = frozenset({"variable", "literal", "parameter", "listLiteral", "map", "patternExpression"})
_SUBQUERIES = frozenset(
    {"existsExpression", "countExpression", "collectExpression", "patternComprehension", "patternExpression"}
)
_TRUTHS = {"TRUE": True, "FALSE": False, "NULL": None}


class Subqueries(Protocol):
    """What an expression asks of the graph."""

    def rows(self, node: Node, row: Row) -> list[dict[str | Node, Value]]:
        """The rows of an EXISTS, COUNT or COLLECT subquery, or of its pattern."""

    def matches(self, node: Node, row: Row) -> Iterator[dict[str | Node, Value]]:
        """The rows of a pattern within an expression."""

    def shortest(self, node: Node, row: Row) -> Value:
        """The path or paths of a shortest path within an expression."""


class Expressions:
    """Works out expressions; raises NotInterpretedError for what it does not know."""

    def __init__(self, parsed: ParsedQuery, subqueries: Subqueries, most_steps: int) -> None:
        self._parsed = parsed
        self._subqueries = subqueries
        self._left = most_steps
        self._names: dict[Node, str] = {}
        self._tested: dict[tuple[Node, frozenset[str]], bool] = {}
        self._direct: dict[Node, tuple[Node, Callable[[Node, Row], Value]]] = {}
        self._readers: dict[str, Callable[[Node, Row], Value]] = {
            "variable": self._variable,
            "literal": self._literal,
            "stringLiteral": lambda node, row: literal_value(next(node.tokens())),
            "numberLiteral": self._number,
            "functionInvocation": self._call,
            "countStar": self._aggregated,
            "trimFunction": self._trim,
            "listLiteral": lambda node, row: [self.value(each, row) for each in node.nodes("expression")],
            "map": self._map,
            "mapProjection": self._projection,
            "parenthesizedExpression": lambda node, row: self.value(node.nodes("expression")[0], row),
            "caseExpression": self._case,
            "extendedCaseExpression": self._simple_case,
            "listComprehension": self._comprehension,
            "listItemsPredicate": self._predicate,
            "reduceExpression": self._reduction,
            "existsExpression": lambda node, row: bool(subqueries.rows(node, row)),
            "countExpression": lambda node, row: len(subqueries.rows(node, row)),
            "collectExpression": self._collected,
            "patternExpression": lambda node, row: next(subqueries.matches(node, row), None) is not None,
            "pathPatternNonEmpty": lambda node, row: next(subqueries.matches(node, row), None) is not None,
            "patternComprehension": self._pattern_comprehension,
            "shortestPathPattern": subqueries.shortest,
            "expression": self._or,
            "expression11": self._xor,
            "expression10": self._and,
            "expression9": self._not,
            "expression8": self._comparison,
            "expression7": self._test,
            "expression6": self._arithmetic,
            "expression5": self._arithmetic,
            "expression4": self._arithmetic,
            "expression3": self._sign,
            "expression2": self._postfixed,
        }

    def step(self, count: int = 1) -> None:
        """Count steps; raise NotInterpretedError where the query takes too many."""
        self._left -= count
        if self._left < 0:
            raise NotInterpretedError("so many steps on a small graph")

    def _made(self, value: Value) -> Value:
        """Return a value that was made; one of many elements counts as many steps."""
        if isinstance(value, str | list):
            self.step(len(value) // (10 if isinstance(value, str) else 1))
        return checked(value)

    def value(self, node: Node, row: Row) -> Value:
        """What an expression gives for a row."""
        self.step()
        found = self._direct.get(node)
        if found is None:
            found = self._direct[node] = self._resolve(node)
        return found[1](found[0], row)

    def holds(self, node: Node, row: Row) -> bool:
        """Whether a condition is true for a row; null is not."""
        return self.truth(node, row) is True

    def truth(self, node: Node, row: Row) -> bool | None:
        """What a condition gives for a row."""
        value = self.value(node, row)
        if value is None or isinstance(value, bool):
            return value
        raise QueryFailsError("a condition is neither true nor false")

    def conjuncts(self, node: Node) -> Iterator[tuple[Node, frozenset[str]]]:
        """The conditions that an expression joins by AND, each with the variables it names."""
        inner = _inner(node)
        if inner.rule == "parenthesizedExpression":
            yield from self.conjuncts(inner.nodes("expression")[0])
        elif inner.rule == "expression10":
            for each in inner.nodes():
                yield from self.conjuncts(each)
        else:
            yield node, frozenset(map(self.name, node.find_all("variable")))

    def name(self, node: Node) -> str:
        """The name that a part of the tree spells."""
        name = self._names.get(node)
        if name is None:
            text = self._parsed.source(node)
            name = text[1:-1].replace("``", "`") if text.startswith("`") else text
            self._names[node] = name
        return name

    def source(self, node: Node) -> str:
        """The text of a part of the tree, which is the name of a column without an alias."""
        return self._parsed.source(node)

    def aggregates(self, node: Node) -> Iterator[Node]:
        """The aggregates of an expression, none of a subquery within it."""
        waiting = [node]
        while waiting:
            found = waiting.pop()
            if found.rule == "countStar" or (
                found.rule == "functionInvocation" and self._function(found) in AGGREGATES
            ):
                yield found
            elif found.rule not in _SUBQUERIES:
                waiting += found.nodes()

    def ungrouped(self, node: Node, keys: Collection[str]) -> str | None:
        """The first variable beside the aggregates of an expression that no key of the groups tells.

        Args:
            keys: The texts of the expressions that rows are grouped by.
        """
        found = [(node, frozenset[str]())]
        while found:
            part, local = found.pop()
            if self.source(part) in keys or part in set(self.aggregates(part)) or part.rule in _SUBQUERIES:
                continue
            if part.rule == "variable" and self.name(part) not in local:
                return self.name(part)
            if part.rule in ("listComprehension", "listItemsPredicate", "reduceExpression"):
                local |= set(map(self.name, part.nodes("variable")))
            found += [(child, local) for child in part.nodes()]
        return None

    def column(self, node: Node) -> str:
        """The name of a column without an alias: its text; for a map projection, that of the variable."""
        inner = _inner(node)
        return self.name(inner.nodes("variable")[0] if inner.rule == "mapProjection" else node)

    def arguments(self, node: Node) -> list[Node]:
        """The expressions that a function is called with."""
        return node.nodes("functionArgument")

    def _function(self, node: Node) -> str:
        return self._parsed.source(node.nodes("functionName")[0]).replace("`", "").replace(" ", "").lower()

    def aggregate_name(self, node: Node) -> str:
        """The name of an aggregate in lower case."""
        return "count" if node.rule == "countStar" else self._function(node)

    def _resolve(self, node: Node) -> tuple[Node, Callable[[Node, Row], Value]]:
        node = _inner(node)
        reader = self._readers.get(node.rule)
        if reader is None:
            raise NotInterpretedError(f"`{self._shown(node)}`")
        return node, reader

    def _shown(self, node: Node) -> str:
        text = " ".join(self._parsed.source(node).split())
        return text if len(text) <= 60 else f"{text[:59]}…"

    def _variable(self, node: Node, row: Row) -> Value:
        name = self.name(node)
        if name not in row:
            raise NotInterpretedError(f"the variable `{name}` here")
        return row[name]

    def _literal(self, node: Node, row: Row) -> Value:
        child = node.children[0]
        if isinstance(child, Node):
            return self.value(child, row)
        if child.name not in _TRUTHS:
            raise NotInterpretedError(f"`{child.text}`")
        return _TRUTHS[child.name]

    def _number(self, node: Node, row: Row) -> Value:
        text = "".join(self._parsed.source(node).split())
        value = number_value(text.lstrip("-"))
        if value is None:
            raise NotInterpretedError(f"`{text}`")
        return -value if text.startswith("-") else value

    def _call(self, node: Node, row: Row) -> Value:
        name = self._function(node)
        if name in AGGREGATES or name in UNKNOWN_AGGREGATES:
            return self._aggregated(node, row)
        values = [self.value(each, row) for each in self.arguments(node)]
        if name == "exists" and len(values) == 1:
            if not isinstance(values[0], bool):
                raise QueryFailsError("exists() takes a pattern")
            return values[0]
        return self._made(call(name, values))

    def _trim(self, node: Node, row: Row) -> Value:
        texts = node.nodes("expression")
        if len(texts) != 1 or node.token("FROM") is not None:
            raise NotInterpretedError(f"`{self._shown(node)}`")
        return call("trim", [self.value(texts[0], row)])

    def _aggregated(self, node: Node, row: Row) -> Value:
        if node not in row:
            raise NotInterpretedError(f"`{self._shown(node)}` here")
        return row[node]

    def map_entries(self, node: Node, row: Row) -> dict[str, Value]:
        """The entries of a map literal."""
        keys, values = node.nodes("propertyKeyName"), node.nodes("expression")
        return {self.name(key): self.value(value, row) for key, value in zip(keys, values, strict=True)}

    def _map(self, node: Node, row: Row) -> Value:
        return self.map_entries(node, row)

    def _projection(self, node: Node, row: Row) -> Value:
        of = self._variable(node.nodes("variable")[0], row)
        if of is None:
            return None
        entries: dict[str, Value] = {}
        for element in node.nodes("mapProjectionElement"):
            looked_up, key, variable = (element.node(r) for r in ("property", "propertyKeyName", "variable"))
            if looked_up is not None:
                name = self.name(looked_up.nodes("propertyKeyName")[0])
                entries[name] = look_up(of, name)
            elif key is not None:
                entries[self.name(key)] = self.value(element.nodes("expression")[0], row)
            elif variable is not None:
                entries[self.name(variable)] = self._variable(variable, row)
            else:
                entries |= call("properties", [of])
        return entries

    def _case(self, node: Node, row: Row) -> Value:
        for each in node.nodes("caseAlternative"):
            when, then = each.nodes("expression")
            if self.truth(when, row) is True:
                return self.value(then, row)
        default = node.node("expression")
        return None if default is None else self.value(default, row)

    def _simple_case(self, node: Node, row: Row) -> Value:
        tested, *others = node.nodes("expression")
        value = self.value(tested, row)
        for each in node.nodes("extendedCaseAlternative"):
            for when in each.nodes("extendedWhen"):
                if any(isinstance(child, Token) for child in when.children):
                    raise NotInterpretedError(f"`{self._shown(when)}` in a CASE")
                expected = self.value(when, row)
                if equal(value, expected) is True:
                    return self.value(each.nodes("expression")[0], row)
        return self.value(others[0], row) if others else None

    def _elements(self, node: Node, row: Row) -> tuple[str, list[Value] | None]:
        """The variable of a list expression, and what it goes through."""
        items = listed(self.value(node.nodes("expression")[0], row))
        return self.name(node.nodes("variable")[0]), items

    def _comprehension(self, node: Node, row: Row) -> Value:
        name, items = self._elements(node, row)
        if items is None:
            return None
        where, projection = self._after(node, "WHERE"), self._after(node, "BAR")
        kept: list[Value] = []
        for item in items:
            inner = {**row, name: item}
            if where is None or self.holds(where, inner):
                kept.append(item if projection is None else self.value(projection, inner))
        return kept

    def _predicate(self, node: Node, row: Row) -> Value:
        name, items = self._elements(node, row)
        where = self._after(node, "WHERE")
        if items is None or where is None:
            return None
        verdicts = [self.truth(where, {**row, name: item}) for item in items]
        if node.token("ALL") is not None:
            return both(verdicts)
        if node.token("NONE") is not None:
            return negated(either(verdicts))
        if node.token("SINGLE") is not None:
            yes = verdicts.count(True)
            return False if yes > 1 else None if None in verdicts else yes == 1
        return either(verdicts)

    def _reduction(self, node: Node, row: Row) -> Value:
        start, source, step = node.nodes("expression")
        total, each = (self.name(variable) for variable in node.nodes("variable"))
        value, items = self.value(start, row), listed(self.value(source, row))
        if items is None:
            return None
        for item in items:
            value = self.value(step, {**row, total: value, each: item})
        return value

    def _collected(self, node: Node, row: Row) -> Value:
        return [next(iter(found.values())) for found in self._subqueries.rows(node, row)]

    def _pattern_comprehension(self, node: Node, row: Row) -> Value:
        where, projection = self._after(node, "WHERE"), self._after(node, "BAR")
        assert projection is not None
        return [
            self.value(projection, found)
            for found in self._subqueries.matches(node, row)
            if where is None or self.holds(where, found)
        ]

    @staticmethod
    def _after(node: Node, token: str) -> Node | None:
        found = False
        for child in node.children:
            if isinstance(child, Token):
                found = child.name == token
            elif found and child.rule == "expression":
                return child
        return None

    def _or(self, node: Node, row: Row) -> Value:
        return either([self.truth(each, row) for each in node.nodes()])

    def _and(self, node: Node, row: Row) -> Value:
        verdicts: list[bool | None] = []
        for each in node.nodes():
            verdicts.append(self.truth(each, row))
            if verdicts[-1] is False:
                return False
        return both(verdicts)

    def _xor(self, node: Node, row: Row) -> Value:
        verdicts = [self.truth(each, row) for each in node.nodes()]
        return None if None in verdicts else verdicts.count(True) % 2 == 1

    def _not(self, node: Node, row: Row) -> Value:
        verdict = self.truth(node.nodes()[-1], row)
        count = sum(isinstance(child, Token) for child in node.children)
        return negated(verdict) if count % 2 else verdict

    def _comparison(self, node: Node, row: Row) -> Value:
        values = [self.value(each, row) for each in node.nodes()]
        operators = [part.name for part in node.children if isinstance(part, Token)]
        return both(
            [compared(name, values[place], values[place + 1]) for place, name in enumerate(operators)]
        )

    def _test(self, node: Node, row: Row) -> Value:
        value, test = self.value(node.nodes()[0], row), node.node("comparisonExpression6")
        words = [] if test is None else [part.name for part in test.children if isinstance(part, Token)]
        if test is None or not words:
            raise NotInterpretedError(f"`{self._shown(node)}`")
        if words[-1] == "NULL":
            return (value is None) != ("NOT" in words)
        operands = test.nodes()
        if not operands or words[0] not in ("IN", "CONTAINS", "REGEQ", "STARTS", "ENDS"):
            raise NotInterpretedError(f"`{self._shown(node)}`")
        other = self.value(operands[-1], row)
        if words[0] == "IN":
            return contained(value, other)
        if not isinstance(value, str) or not isinstance(other, str):
            return None
        if words[0] == "CONTAINS":
            return other in value
        if words[0] == "REGEQ":
            return fits(value, other)
        return value.startswith(other) if words[0] == "STARTS" else value.endswith(other)

    def _arithmetic(self, node: Node, row: Row) -> Value:
        result: Value = None
        operator = ""
        for child in node.children:
            if isinstance(child, Token):
                operator = child.name
            else:
                value = self.value(child, row)
                result = self._made(calculated(operator, result, value)) if operator else value
        return result

    def _sign(self, node: Node, row: Row) -> Value:
        value = self.value(node.nodes()[-1], row)
        return calculated("MINUS", 0, value) if node.token("MINUS") else value

    def _postfixed(self, node: Node, row: Row) -> Value:
        first, *rest = node.nodes()
        value = self.value(first, row)
        for postfix in rest:
            value = self._with_postfix(value, postfix, row)
        return value

    def _with_postfix(self, of: Value, postfix: Node, row: Row) -> Value:
        if postfix.token("LBRACKET") is not None:
            return self._indexed(of, postfix, row)
        labelled, looked_up = postfix.node("labelExpression"), postfix.node("property")
        if labelled is not None:
            return None if of is None else self.labelled(of, labelled)
        if looked_up is None:
            raise NotInterpretedError(f"`{self._shown(postfix)}`")
        return look_up(of, self.name(looked_up.nodes("propertyKeyName")[0]))

    def _indexed(self, of: Value, postfix: Node, row: Row) -> Value:
        if postfix.token("DOTDOT") is not None:
            return self._slice(of, postfix, row)
        place = self.value(postfix.nodes("expression")[0], row)
        if not isinstance(of, list):
            return look_up(of, place)
        if place is None:
            return None
        if type(place) is not int:
            raise QueryFailsError("a place in a list is no integer")
        return of[place] if -len(of) <= place < len(of) else None

    def _slice(self, of: Value, postfix: Node, row: Row) -> Value:
        bounds: list[Value] = [0, len(of) if isinstance(of, list) else 0]
        after = False
        for child in postfix.children:
            if isinstance(child, Token):
                after |= child.name == "DOTDOT"
            else:
                bounds[after] = self.value(child, row)
        if of is None or None in bounds:
            return None
        if not isinstance(of, list) or not all(type(each) is int for each in bounds):
            raise QueryFailsError("a part is taken of a value that is no list")
        return self._made(of[slice(*bounds)])

    def labelled(self, of: Value, node: Node) -> bool:
        """Whether a node has the labels, or a relationship the type, that a label expression asks for."""
        held = of.labels if isinstance(of, GraphNode) else None
        if isinstance(of, GraphRelationship):
            held = frozenset({of.type})
        if held is None:
            raise QueryFailsError("a label is asked of a value that has none")
        key = node, held
        if key not in self._tested:
            self._tested[key] = self._labels(node, held)
        return self._tested[key]

    def _labels(self, node: Node, held: frozenset[str]) -> bool:
        rule, parts = node.rule.removesuffix("Is"), node.nodes()
        if node.token("PERCENT") is not None:
            return bool(held)
        if not parts or rule == "dynamicAnyAllExpression":
            raise NotInterpretedError(f"`{self._shown(node)}`")
        if rule == "labelExpression4" and len(parts) > 1:
            return any(self._labels(part, held) for part in parts)
        if rule == "labelExpression3" and len(parts) > 1:
            return all(self._labels(part, held) for part in parts)
        if rule == "labelExpression2":
            marks = sum(isinstance(mark, Token) for mark in node.children)
            return self._labels(parts[0], held) != bool(marks % 2)
        if parts[0].rule.startswith("symbolic"):
            return self.name(parts[0]) in held
        return self._labels(parts[0], held)


def _inner(node: Node) -> Node:
    """The node that says what an expression is: rules that only hand on to the next one are passed over."""
    while len(node.children) == 1 and isinstance(node.children[0], Node) and node.rule not in _WHOLE:
        node = node.children[0]
    return node
