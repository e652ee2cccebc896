"""Running a query over a small graph in memory, clause by clause.

What is not known raises NotInterpretedError; what is known gives what the server gives, but for the order of
rows where the query leaves it open. `docs/errors-and-loops.md` says which part of the language that is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.interpreter.expressions import Expressions
from retrocypher.kg.interpreter.expressions import Row as AnyRow
from retrocypher.kg.interpreter.functions import aggregate
from retrocypher.kg.interpreter.graph import SmallGraph, Value, to_json
from retrocypher.kg.interpreter.patterns import Filters, Patterns, Row
from retrocypher.kg.interpreter.values import NotInterpretedError, QueryFailsError, group_key, sort_key

MOST_STEPS = 500_000
"""Expressions and relationships that are looked at for one query."""
MOST_ROWS = 20_000
"""Rows between two clauses."""

_PATH = " path"
"""A name that no variable of a query has."""


@dataclass(frozen=True, slots=True)
class SmallResult:
    """The columns of a result, and its rows in the form that they have on records."""

    columns: list[str]
    rows: list[list[Any]]


def interpret(parsed: ParsedQuery, graph: SmallGraph) -> SmallResult:
    """Return what a query that follows the grammar gives on a small graph.

    Raises NotInterpretedError, which says what is not known or which bound the query passes, and
    QueryFailsError where the server would stop with an error.
    """
    if parsed.unread is not None:
        raise NotInterpretedError(parsed.unread)
    if parsed.errors:
        raise NotInterpretedError("a text that is not valid Cypher")
    statements = parsed.root.nodes("statement")
    if len(statements) > 1:
        raise NotInterpretedError("several statements")
    query = statements[0].node("regularQuery") if statements else None
    if query is None:
        raise NotInterpretedError("a statement that is not a query")
    try:
        columns, rows = _Interpreter(parsed, graph).query(query, {}, [{}])
        return SmallResult(columns, [[to_json(row[name]) for name in columns] for row in rows])
    except RecursionError as error:
        raise NotInterpretedError("a query or value that is nested very deeply") from error


class _Interpreter:
    def __init__(self, parsed: ParsedQuery, graph: SmallGraph) -> None:
        self._expressions = Expressions(parsed, self, MOST_STEPS)
        self._patterns = Patterns(graph, self._expressions)

    def query(self, node: Node, outer: AnyRow, rows: list[Row]) -> tuple[list[str], list[Row]]:
        """The columns and rows of a query, or of a subquery for one row around it."""
        singles = node.nodes("singleQuery")
        columns, found = self._single(singles[0], outer, rows)
        for single in singles[1:]:
            names, more = self._single(single, outer, rows)
            if set(names) != set(columns):
                raise QueryFailsError("the parts of a UNION have other columns")
            found = found + more
        # The server takes one kind of UNION in a query only.
        if len(singles) > 1 and not any(token.name == "ALL" for token in _own_tokens(node)):
            found = _distinct(columns, found)
        return columns, found

    def rows(self, node: Node, row: AnyRow) -> list[Row]:
        """The rows of an EXISTS, COUNT or COLLECT subquery, or of its pattern."""
        query, patterns = node.node("regularQuery"), node.node("patternList")
        if query is not None:
            singles = query.nodes("singleQuery")
            if len(singles) == 1 and singles[0].nodes("clause")[-1].node("returnClause") is None:
                return self._clauses(singles[0].nodes("clause"), [dict(row)], dict(row))
            columns, found = self.query(query, row, [dict(row)])
            return [{name: each[name] for name in columns} for each in found]
        if patterns is None:
            raise NotInterpretedError("a subquery of this kind")
        return list(self._matched(node, patterns, dict(row)))

    def matches(self, node: Node, row: AnyRow) -> Iterator[Row]:
        """The rows of a pattern within an expression."""
        pattern = self._patterns.read(node.node("pathPatternNonEmpty") or node)
        named = node.node("variable") if node.rule == "patternComprehension" else None
        if named is not None:
            pattern = replace(pattern, variable=self._expressions.name(named))
        return self._patterns.match([pattern], None, dict(row))

    def shortest(self, node: Node, row: AnyRow) -> Value:
        """The path or paths of a shortest path within an expression."""
        pattern = replace(self._patterns.read(node), variable=_PATH)
        paths = [found[_PATH] for found in self._patterns.match([pattern], None, dict(row))]
        return next(iter(paths), None) if pattern.shortest else paths

    def _single(self, node: Node, outer: AnyRow, rows: list[Row]) -> tuple[list[str], list[Row]]:
        wrapped = node.node("regularQuery")
        if wrapped is not None:
            return self.query(wrapped, outer, rows)
        clauses = node.nodes("clause")
        last = clauses[-1].node("returnClause") if clauses else None
        if last is None:
            raise NotInterpretedError("a query without RETURN")
        rows = self._clauses(clauses[:-1], rows, outer)
        return self._projected(last, rows, outer)

    def _clauses(self, clauses: Sequence[Node], rows: list[Row], outer: AnyRow) -> list[Row]:
        bodies = [clause.nodes()[0] if clause.nodes() else clause for clause in clauses]
        for place, body in enumerate(bodies):
            match body.rule:
                case "matchClause":
                    filters = self._filters(bodies[place:])
                    rows = [each for row in rows for each in self._match(body, row, filters)]
                case "withClause":
                    rows = self._projected(body, rows, outer)[1]
                case "unwindClause":
                    rows = [each for row in rows for each in self._unwind(body, row)]
                case "subqueryClause":
                    rows = [each for row in rows for each in self._call(body, row)]
                case _:
                    raise NotInterpretedError(f"the clause {next(body.tokens()).text.upper()}")
            if len(rows) > MOST_ROWS:
                raise NotInterpretedError("so many rows on a small graph")
        return rows

    def _filters(self, bodies: Sequence[Node]) -> Filters:
        """The conditions of a MATCH and of those that follow it at once: its rows have to fulfil them too."""
        found: list[tuple[Node, frozenset[str]]] = []
        for body in bodies:
            if body.rule != "matchClause" or body.token("OPTIONAL") is not None:
                break
            where = body.node("whereClause")
            if where is not None:
                found += self._expressions.conjuncts(where.nodes("expression")[0])
        return found

    def _match(self, node: Node, row: Row, filters: Filters) -> Iterator[Row]:
        mode = node.node("matchMode")
        if mode is not None and mode.token("DIFFERENT") is None:
            raise NotInterpretedError("REPEATABLE ELEMENTS")
        patterns = node.nodes("patternList")[0]
        if node.token("OPTIONAL") is None:
            yield from self._matched(node, patterns, row, filters)
            return
        empty = True
        for found in self._matched(node, patterns, row):
            empty = False
            yield found
        if empty:
            read = [self._patterns.read(each) for each in patterns.nodes("pattern")]
            yield {**{name: None for each in read for name in each.variables}, **row}

    def _matched(self, node: Node, patterns: Node, row: Row, filters: Filters | None = None) -> Iterator[Row]:
        read = [self._patterns.read(each) for each in patterns.nodes("pattern")]
        where = node.node("whereClause")
        condition = None if where is None else where.nodes("expression")[0]
        if filters is None:
            filters = [] if condition is None else list(self._expressions.conjuncts(condition))
        return self._patterns.match(read, condition, row, filters)

    def _unwind(self, node: Node, row: Row) -> Iterator[Row]:
        items = self._expressions.value(node.nodes("expression")[0], row)
        name = self._expressions.name(node.nodes("variable")[0])
        if items is None:
            return
        for item in items if isinstance(items, list) else [items]:
            self._expressions.step()
            yield {**row, name: item}

    def _call(self, node: Node, row: Row) -> Iterator[Row]:
        query, given = node.node("regularQuery"), node.node("subqueryScope")
        if query is None or node.node("subqueryInTransactionsParameters") is not None:
            raise NotInterpretedError("CALL of a procedure or in transactions")
        outer: Row = dict(row)
        if given is not None and given.token("TIMES") is None:
            outer = {}
            for variable in given.nodes("variable"):
                name = self._expressions.name(variable)
                if name not in row:
                    raise NotInterpretedError(f"the variable `{name}` here")
                outer[name] = row[name]
        if given is not None:
            columns, found = self.query(query, outer, [dict(outer)])
        else:
            columns, found = self._importing(query, outer)
        for each in found:
            yield {**row, **{name: each[name] for name in columns}}
        if not found and node.token("OPTIONAL") is not None:
            yield {**row, **dict.fromkeys(columns)}

    def _importing(self, query: Node, outer: Row) -> tuple[list[str], list[Row]]:
        """A subquery whose parts see the variables around it by a WITH at their beginning."""
        columns: list[str] = []
        found: list[Row] = []
        singles = query.nodes("singleQuery")
        for single in singles:
            clauses = single.nodes("clause")
            imports = bool(clauses) and clauses[0].node("withClause") is not None
            columns, more = self._single(single, {}, [dict(outer) if imports else {}])
            found += more
        if len(singles) > 1 and not any(token.name == "ALL" for token in _own_tokens(query)):
            found = _distinct(columns, found)
        return columns, found

    def _projected(self, node: Node, rows: list[Row], outer: AnyRow) -> tuple[list[str], list[Row]]:
        """The columns and rows of a WITH or RETURN; rows of a subquery keep what it sees around it."""
        body = node.nodes("returnBody")[0]
        listed = body.nodes("returnItems")[0]
        named: dict[str, Node] = {}
        starred = listed.token("TIMES") is not None
        for each in listed.nodes("returnItem"):
            expression, alias = each.nodes("expression")[0], each.node("variable")
            name = self._expressions.column(expression) if alias is None else self._expressions.name(alias)
            if name in named:
                raise QueryFailsError(f"two columns have the name `{name}`")
            named[name] = expression
        order = [each for part in body.nodes("orderBy") for each in part.nodes("orderItem")]
        keys = [each.nodes("expression")[0] for each in order]
        aggregates = [
            each for part in (*named.values(), *keys) for each in self._expressions.aggregates(part)
        ]
        if any(True for part in named.values() for _ in self._expressions.aggregates(part)):
            rows = self._grouped(rows, named, aggregates, starred, outer)
        # What a star stands for comes first, in the order of the alphabet.
        stood_for = sorted(name for name in (rows[0] if starred and rows else ()) if isinstance(name, str))
        columns = [name for name in stood_for if name not in named and name not in outer] + list(named)
        pairs: list[tuple[Row, Row]] = []
        for row in rows:
            values: Row = {name: row[name] for name in columns if name not in named}
            values |= {name: self._expressions.value(part, row) for name, part in named.items()}
            pairs.append((row, values))
        if body.token("DISTINCT") is not None:
            unique = {
                tuple(group_key(values[name]) for name in columns): (row, values)
                for row, values in reversed(pairs)
            }
            pairs = list(unique.values())[::-1]
        texts = {self._expressions.source(part): name for name, part in named.items()}
        for item, key in reversed(list(zip(order, keys, strict=True))):
            column = texts.get(self._expressions.source(key))
            descending = item.node("descToken") is not None
            pairs.sort(
                key=lambda pair: sort_key(
                    pair[1][column]
                    if column is not None
                    else self._expressions.value(key, {**pair[0], **pair[1]})
                ),
                reverse=descending,
            )
        pairs = self._cut(body, pairs)
        kept = [{**outer, **values} for _, values in pairs]
        where = node.node("whereClause")
        if where is not None:
            condition = where.nodes("expression")[0]
            kept = [
                values
                for (row, _), values in zip(pairs, kept, strict=True)
                if self._expressions.holds(condition, {**row, **values})
            ]
        return columns, kept

    def _grouped(
        self, rows: list[Row], named: dict[str, Node], aggregates: list[Node], starred: bool, outer: AnyRow
    ) -> list[Row]:
        """One row a group, with the values of aggregates by their place in the tree."""
        keys = [part for part in named.values() if not any(True for _ in self._expressions.aggregates(part))]
        if not starred:
            texts = frozenset(map(self._expressions.source, keys))
            for part in named.values():
                variable = None if part in keys else self._expressions.ungrouped(part, texts)
                if variable is not None:
                    raise QueryFailsError(
                        f"`{variable}` is used beside an aggregate, and rows are not grouped by it"
                    )
        groups: dict[Any, list[Row]] = {}
        for row in rows:
            values = [self._expressions.value(part, row) for part in keys]
            if starred:
                values += [
                    value for name, value in row.items() if isinstance(name, str) and name not in outer
                ]
            groups.setdefault(tuple(map(group_key, values)), []).append(row)
        if not groups and not keys and not starred:
            groups[()] = []
        return [
            {**(group[0] if group else outer), **{each: self._aggregate(each, group) for each in aggregates}}
            for group in groups.values()
        ]

    def _aggregate(self, node: Node, group: list[Row]) -> Value:
        arguments = self._expressions.arguments(node)
        name = self._expressions.aggregate_name(node)
        if node.rule == "countStar":
            return len(group)
        values = [self._expressions.value(arguments[0], row) for row in group]
        return aggregate(name, values, distinct=node.token("DISTINCT") is not None)

    def _cut(self, body: Node, pairs: list[tuple[Row, Row]]) -> list[tuple[Row, Row]]:
        for rule in ("skip", "limit"):
            clause = body.node(rule)
            if clause is None:
                continue
            count = self._expressions.value(clause.nodes("expression")[0], {})
            if type(count) is not int or count < 0:
                raise NotInterpretedError(f"a {rule.upper()} that is no whole number")
            pairs = pairs[count:] if rule == "skip" else pairs[:count]
        return pairs


def _own_tokens(node: Node) -> Iterator[Any]:
    return (child for child in node.children if not isinstance(child, Node))


def _distinct(columns: list[str], rows: list[Row]) -> list[Row]:
    unique = {tuple(group_key(row[name]) for name in columns): row for row in reversed(rows)}
    return list(unique.values())[::-1]
