"""Clauses read in their order, with the variables that each can see."""

from typing import Literal

from kg.cypher import Node
from kg.reading._conditions import conjuncts
from kg.reading._draft import Context, Draft
from kg.reading._expressions import Expressions
from kg.reading._model import Condition, Item, Order, Projection, Use
from kg.reading._patterns import Patterns, demand
from kg.reading._simplify import element_of, operation, walk
from kg.reading._terms import (
    Call,
    HasLabel,
    NodeTerm,
    Operation,
    Subquery,
    Term,
    Unknown,
)

AGGREGATES = frozenset(
    {"collect", "count", "sum", "avg", "min", "max", "stdev", "stdevp", "percentilecont", "percentiledisc"}
)
_READ = ("MATCH", "OPTIONAL")


class Queries:
    """Reads queries and subqueries into a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._expressions = Expressions(draft, self)
        self._patterns = Patterns(draft, self._expressions)

    def statement(self, node: Node) -> None:
        """Read a whole query."""
        query = node.find("regularQuery")
        if query is None:
            self._draft.miss("a statement that is not a query", node)
            return
        for single in query.nodes("singleQuery"):
            self._single(single, {}, self._draft.scope(None, "branch", keeps_rows=False))

    def subquery(self, kind: str, node: Node, context: Context) -> Subquery:
        """An EXISTS, COUNT or COLLECT subquery."""
        scope = self._open(kind, context)
        query, patterns = node.node("regularQuery"), node.node("patternList")
        if query is not None:
            columns = self._branches(query, dict(context.variables), scope)
            first = next(iter(columns.values()), None)
            return self._made(kind, scope, first)
        inner = Context(dict(context.variables), scope, self._draft.part(), False)
        if patterns is not None:
            self._match(node, patterns, inner)
        return self._made(kind, scope, None)

    def pattern(self, kind: str, node: Node, context: Context) -> Subquery:
        """A pattern expression or pattern comprehension."""
        scope = self._open(kind, context)
        inner = Context(dict(context.variables), scope, self._draft.part(), False)
        row, named = node.node("pathPatternNonEmpty"), node.node("variable")
        if row is not None:
            self._patterns.elements(row, inner, None if named is None else self._draft.name(named))
        expressions = node.nodes("expression")
        if node.token("WHERE") is not None and expressions:
            self._where(expressions.pop(0), inner)
        projection = self._expressions.term(expressions[0], inner) if expressions else None
        return self._made(kind, scope, projection)

    def _open(self, kind: str, context: Context) -> int:
        named: Literal["exists", "count", "collect"] = (
            "exists" if kind == "exists" else "count" if kind == "count" else "collect"
        )
        return self._draft.scope(context.scope, named, keeps_rows=named != "exists")

    @staticmethod
    def _made(kind: str, scope: int, projection: Term | None) -> Subquery:
        if kind == "exists":
            return Subquery("exists", scope, projection)
        return Subquery("count" if kind == "count" else "collect", scope, projection)

    def _branches(self, query: Node, variables: dict[str, Term], scope: int) -> dict[str, Term]:
        """Read a subquery; what each of its columns holds."""
        singles = query.nodes("singleQuery")
        if len(singles) == 1:
            return self._single(singles[0], variables, scope)
        several: dict[str, list[Term]] = {}
        for single in singles:
            inner = self._draft.scope(scope, "call", keeps_rows=True)
            for name, term in self._single(single, dict(variables), inner).items():
                several.setdefault(name, []).append(term)
        return {name: Operation("union", tuple(terms)) for name, terms in several.items()}

    def _single(self, node: Node, variables: dict[str, Term], scope: int) -> dict[str, Term]:
        """Read the clauses of a query; the columns of its RETURN."""
        columns: dict[str, Term] = {}
        for clause in node.nodes("clause"):
            inner = clause.nodes()
            if not inner:
                continue
            context = Context(variables, scope, self._draft.part(), False)
            body = inner[0]
            if body.rule == "matchClause":
                optional = body.token("OPTIONAL") is not None
                context = Context(variables, scope, context.part, optional)
                patterns = body.node("patternList")
                if patterns is not None:
                    self._match(body, patterns, context)
            elif body.rule == "withClause":
                variables = self._projection(body, "WITH", context)
            elif body.rule == "returnClause":
                columns = self._projection(body, "RETURN", context)
            elif body.rule == "unwindClause":
                self._unwind(body, context)
            elif body.rule == "subqueryClause":
                self._call(body, context)
            elif body.rule == "orderBySkipLimitClause":
                self._draft.miss("ORDER BY or LIMIT as a clause of its own", body)
            else:
                self._other(body, context)
        return columns

    def _match(self, node: Node, patterns: Node, context: Context) -> None:
        for pattern in patterns.nodes("pattern"):
            self._patterns.pattern(pattern, context)
        where = node.node("whereClause")
        if where is not None:
            self._where(where.node("expression"), context)

    def _where(self, node: Node | None, context: Context) -> None:
        if node is None:
            return
        for term in conjuncts(self._expressions.term(node, context)):
            if isinstance(term, HasLabel) and isinstance(term.of, NodeTerm):
                demand(self._draft.nodes[term.of.key], term)
            self._draft.conditions.append(
                Condition(term, context.scope, context.part, context.optional, node.start, node.stop)
            )

    def _unwind(self, node: Node, context: Context) -> None:
        named, expression = node.node("variable"), node.node("expression")
        source = self._expressions.term(expression, context)
        element = element_of(self._draft, source)
        if named is not None:
            context.variables[self._draft.name(named)] = element
        # An empty list leaves no row, so what it holds has to exist.
        self._draft.conditions.append(
            Condition(
                operation("is not null", element), context.scope, context.part, False, node.start, node.stop
            )
        )

    def _call(self, node: Node, context: Context) -> None:
        query, given = node.node("regularQuery"), node.node("subqueryScope")
        if query is None:
            self._draft.miss("a CALL", node)
            return
        variables: dict[str, Term] = {}
        if given is not None:
            everything = given.token("TIMES") is not None
            names = context.variables if everything else map(self._draft.name, given.find_all("variable"))
            variables = {name: context.variables[name] for name in names if name in context.variables}
        elif _imports(query):
            variables = dict(context.variables)
        optional = node.token("OPTIONAL") is not None
        scope = self._draft.scope(context.scope, "call", keeps_rows=optional)
        columns = self._branches(query, variables, scope)
        if columns and all(is_aggregate(term) for term in columns.values()):
            self._draft.keep_rows(scope)
        context.variables.update(columns)

    def _other(self, node: Node, context: Context) -> None:
        self._draft.miss("a clause of this kind", node)
        for variable in node.find_all("variable", "procedureResultItem"):
            name = self._draft.name(variable)
            context.variables.setdefault(name, Unknown(name))

    def _projection(self, node: Node, kind: Literal["WITH", "RETURN"], context: Context) -> dict[str, Term]:
        draft = self._draft
        body = node.node("returnBody")
        listed = None if body is None else body.node("returnItems")
        if body is None or listed is None:
            return {}
        items: list[Item] = []
        if listed.token("TIMES") is not None:
            items += [
                Item(name, term, listed.start, listed.start + 1) for name, term in context.variables.items()
            ]
        for each in listed.nodes("returnItem"):
            expression, alias = each.node("expression"), each.node("variable")
            named = alias if alias is not None else expression
            column = "" if named is None else draft.name(named)
            items.append(Item(column, self._expressions.term(expression, context), each.start, each.stop))
        columns = {item.column: item.term for item in items}
        # ORDER BY and WHERE see the new names, and the old ones beside them.
        after = context.with_variables(columns)
        order = tuple(
            Order(self._expressions.term(each.node("expression"), after), each.node("descToken") is not None)
            for part in body.nodes("orderBy")
            for each in part.nodes("orderItem")
        )
        skip, limit = body.node("skip"), body.node("limit")
        draft.projections.append(
            Projection(
                kind=kind,
                part=context.part,
                items=tuple(items),
                distinct=body.token("DISTINCT") is not None,
                grouped=any(is_aggregate(item.term) for item in items if not _carried(item, context)),
                order=order,
                skip=None if skip is None else self._expressions.term(skip.node("expression"), after),
                limit=None if limit is None else self._expressions.term(limit.node("expression"), after),
                scope=context.scope,
                start=node.start,
                stop=node.stop,
            )
        )
        where = node.node("whereClause")
        if where is not None:
            self._where(where.node("expression"), after)
        return columns


def is_aggregate(term: Term) -> bool:
    """Whether an aggregate stands in a term."""
    return any(isinstance(each, Call) and each.name in AGGREGATES for each in walk(term))


def _carried(item: Item, context: Context) -> bool:
    """Whether a column only hands on what an earlier clause worked out."""
    return any(term is item.term for term in context.variables.values())


def _imports(query: Node) -> bool:
    """Whether a subquery begins with the WITH that lets it see the variables around it."""
    first = query.find("clause")
    return first is not None and bool(first.nodes("withClause"))


def undefined_names(draft: Draft) -> tuple[Use, ...]:
    """The variables that are used and not bound, each once."""
    return tuple({use.name: use for use in reversed(draft.undefined)}.values())
