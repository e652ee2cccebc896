"""Reading a query clause by clause into a query model, each with the variables that it can see."""

from dataclasses import replace
from typing import Literal

from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.semantics.builder import Context, Draft, conjuncts, element_of, operation, require, walk
from retrocypher.kg.semantics.expressions import Expressions
from retrocypher.kg.semantics.inference import Labels, limit_lengths
from retrocypher.kg.semantics.patterns import Patterns, demand
from retrocypher.kg.semantics.query_model import (
    Call,
    Condition,
    Element,
    HasLabel,
    Item,
    NodeTerm,
    Operation,
    Order,
    Projection,
    Property,
    QueryModel,
    Subquery,
    SubqueryKind,
    Term,
    Test,
    Unknown,
    Unread,
)
from retrocypher.kg.semantics.schema import Schema

AGGREGATES = frozenset(
    {"collect", "count", "sum", "avg", "min", "max", "stdev", "stdevp", "percentilecont", "percentiledisc"}
)

# The grammar has some 13 rules between an expression and one in brackets within it; people nest a few, and
# what follows the nesting by recursion has a thousand frames.
_DEEPEST = 500


def read_query(query: str | ParsedQuery, schema: Schema) -> QueryModel:
    """Read what a query means, as far as its text and the schema tell.

    A query that does not follow the grammar is read as far as its tree goes; what is missing there must not
    be taken for missing in the query.
    """
    parsed = parse(query) if isinstance(query, str) else query
    draft = read_draft(parsed, statements=1)
    limit_lengths(draft, Labels(draft, schema))
    return draft


def read_draft(parsed: ParsedQuery, *, statements: int | None = None) -> Draft:
    """Read a query, or its first statements (a server runs one), as far as its text alone tells."""
    draft = Draft(parsed)
    if parsed.unread is not None:
        draft.unread.append(Unread(f"the query as a whole ({parsed.unread})", 0, len(parsed.text)))
    elif _is_too_deep(parsed.root):
        draft.unread.append(Unread("expressions that are nested very deeply", 0, len(parsed.text)))
    elif not parsed.errors:
        Queries(draft).statements(parsed.root, statements)
    else:
        draft.unread.append(Unread("a text that is not valid Cypher", 0, len(parsed.text)))
    draft.undefined = list({use.name: use for use in reversed(draft.undefined)}.values())
    return draft


def _is_too_deep(root: Node) -> bool:
    # Level by level: a fifth of the time that a walk takes, and done once for every query.
    level = [root]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in node.children if isinstance(child, Node)]
        if not level:
            return False
    return True


class Queries:
    """Reads queries and subqueries into a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._expressions = Expressions(draft, self.subquery, self.pattern)
        self._patterns = Patterns(draft, self._expressions)

    def statements(self, node: Node, most: int | None) -> None:
        """Read the first queries of a text."""
        outermost = self._expressions.outermost(node, "regularQuery")
        queries = [found for found in outermost if found.rule == "regularQuery"]
        if not queries:
            self._draft.miss("a statement that is not a query", node)
        for query in queries[:most]:
            for single in query.nodes("singleQuery"):
                scope = self._draft.scope(None, "branch", keeps_rows=False)
                self._single(single, {}, scope, self._draft.block(None))

    def subquery(self, kind: SubqueryKind, node: Node, context: Context) -> Subquery:
        """An EXISTS, COUNT or COLLECT subquery."""
        inner = self._open(kind, context)
        query, patterns = node.node("regularQuery"), node.node("patternList")
        columns = {} if query is None else self._branches(query, inner)
        if patterns is not None:
            self._match(node, patterns, inner)
        return Subquery(kind, inner.scope, next(iter(columns.values()), None))

    def pattern(self, kind: SubqueryKind, node: Node, context: Context) -> Subquery:
        """A pattern expression, shortest path or pattern comprehension."""
        inner = self._open(kind, context)
        row, named = node.node("pathPatternNonEmpty") or node.node("patternElement"), node.node("variable")
        if row is not None:
            self._patterns.elements(row, inner, None if named is None else self._draft.name(named))
        expressions = node.nodes("expression")
        if node.token("WHERE") is not None and expressions:
            self._where(expressions.pop(0), inner)
        projection = self._expressions.term(expressions[0], inner) if expressions else None
        return Subquery(kind, inner.scope, projection)

    def _open(self, kind: SubqueryKind, context: Context) -> Context:
        scope = self._draft.scope(context.scope, kind, keeps_rows=kind != "exists")
        block = self._draft.block(context.block)
        return Context(dict(context.variables), scope, block, self._draft.part())

    def _branches(self, query: Node, context: Context, *, importing: bool = False) -> dict[str, Term]:
        """Read a subquery; ``importing`` branches see outer variables only by a WITH at their beginning."""
        singles = query.nodes("singleQuery")
        several: dict[str, list[Term]] = {}
        for single in singles:
            variables = dict(context.variables) if not importing or _imports(single) else {}
            if len(singles) == 1:
                return self._single(single, variables, context.scope, context.block)
            scope = self._draft.scope(context.scope, "call", keeps_rows=True)
            columns = self._single(single, variables, scope, self._draft.block(context.block))
            for name, term in columns.items():
                several.setdefault(name, []).append(term)
        return {name: Operation("union", tuple(terms)) for name, terms in several.items()}

    def _single(self, node: Node, variables: dict[str, Term], scope: int, block: int) -> dict[str, Term]:
        """Read the clauses of a query; the columns of its RETURN."""
        columns: dict[str, Term] = {}
        wrapped = node.node("regularQuery")
        if wrapped is not None:
            return self._branches(wrapped, Context(variables, scope, block, self._draft.part()))
        for clause in node.nodes("clause"):
            inner = clause.nodes()
            if not inner:
                continue
            context = Context(variables, scope, block, self._draft.part())
            body = inner[0]
            if body.rule == "matchClause":
                if body.token("OPTIONAL") is not None:
                    context = replace(context, block=self._draft.block(block), optional=True)
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
                self._expressions.unknown(body, context)
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
        whole = self._expressions.term(node, context)
        require(self._draft, whole, node, context)
        for term in conjuncts(whole):
            if isinstance(term, HasLabel) and isinstance(term.of, NodeTerm):
                demand(self._draft.nodes[term.of.key], term)

    def _unwind(self, node: Node, context: Context) -> None:
        named, expression = node.node("variable"), node.node("expression")
        source = self._expressions.term(expression, context)
        element = element_of(self._draft, source, context.block)
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
        variables = context.variables
        if given is not None and given.token("TIMES") is None:
            names = map(self._draft.name, given.find_all("variable"))
            variables = {name: context.variables[name] for name in names if name in context.variables}
        optional = node.token("OPTIONAL") is not None
        scope = self._draft.scope(context.scope, "call", keeps_rows=optional)
        block = self._draft.block(context.block) if optional else context.block
        inner = Context(variables, scope, block, context.part)
        columns = self._branches(query, inner, importing=given is None)
        if columns and all(is_aggregate(term) for term in columns.values()):
            self._draft.scopes[scope] = replace(self._draft.scopes[scope], keeps_rows=True)
        context.variables.update(columns)

    def _other(self, node: Node, context: Context) -> None:
        """A clause that writes, or of another kind: the labels it gives nodes, and its expressions."""
        self._draft.miss("a clause of this kind", node)
        for found in self._expressions.outermost(node, "nodePattern"):
            if found.rule == "nodePattern":
                self._written_node(found, context)
        for variable in node.find_all("variable", "procedureResultItem"):
            name = self._draft.name(variable)
            context.variables.setdefault(name, Unknown(name))
        self._expressions.unknown(node, context)

    def _written_node(self, node: Node, context: Context) -> None:
        variable, expression = node.node("variable"), node.node("labelExpression")
        if variable is None:
            return
        name = self._draft.name(variable)
        term = context.variables.get(name, Unknown(name))
        if isinstance(term, Unknown):
            term = context.variables[name] = Element(term, self._draft.element(context.block))
        tests = [] if expression is None else [self._expressions.labels(term, expression)]
        keys = [key for written in node.nodes("properties") for key in written.find_all("propertyKeyName")]
        tests += [operation("is not null", Property(term, self._draft.name(key))) for key in keys]
        self._draft.tests += [Test(test, context.block, pattern=True) for test in tests]

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
        carried = {id(term) for term in context.variables.values()}
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
                # A column that only hands on what an earlier clause worked out does not group.
                grouped=any(is_aggregate(item.term) for item in items if id(item.term) not in carried),
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


def _imports(branch: Node) -> bool:
    """Whether a branch of a subquery begins with the WITH that lets it see the variables around it."""
    first = branch.find("clause")
    return first is not None and bool(first.nodes("withClause"))
