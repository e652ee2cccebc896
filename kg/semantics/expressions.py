"""Reading expressions of the tree into terms."""

from collections.abc import Callable, Iterator

from retrocypher.kg.cypher.edits import literal_value
from retrocypher.kg.cypher.parser import number_value
from retrocypher.kg.cypher.tokens import Node, Token
from retrocypher.kg.semantics.builder import Context, Draft, call, element_of, item_of, operation, property_of
from retrocypher.kg.semantics.query_model import (
    Call,
    Case,
    Comprehension,
    ComprehensionKind,
    Constant,
    EdgeTerm,
    Element,
    HasLabel,
    ListTerm,
    MapTerm,
    Operation,
    Parameter,
    Subquery,
    SubqueryKind,
    Term,
    Test,
    Unknown,
    Use,
)

_COMPARED = {"EQ": "=", "NEQ": "<>", "NEQ2": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_WHOLE = frozenset({"variable", "literal", "parameter", "listLiteral", "map", "patternExpression"})
_TRUTHS = {"TRUE": True, "FALSE": False, "NULL": None}


Subqueries = Callable[[SubqueryKind, Node, Context], Subquery]
"""Reads what stands in braces, or as a pattern, within an expression."""


class Expressions:
    """Reads expressions; what it does not know becomes ``Unknown``."""

    def __init__(self, draft: Draft, subquery: Subqueries, pattern: Subqueries) -> None:
        self._draft = draft
        self._pattern = pattern
        self._readers: dict[str, Callable[[Node, Context], Term]] = {
            "variable": self._variable,
            "literal": self._literal,
            "stringLiteral": self._string,
            "numberLiteral": self._number,
            "parameter": self._parameter,
            "functionInvocation": self._call,
            "countStar": lambda node, context: Call("count", ()),
            "listLiteral": lambda node, context: ListTerm(
                tuple(self.term(each, context) for each in node.nodes("expression"))
            ),
            "map": lambda node, context: MapTerm(tuple(self.entries(node, context))),
            "mapProjection": self._projection,
            "parenthesizedExpression": lambda node, context: self.term(node.node("expression"), context),
            "caseExpression": self._case,
            "extendedCaseExpression": self._simple_case,
            "listComprehension": self._comprehension,
            "listItemsPredicate": self._predicate,
            "existsExpression": lambda node, context: subquery("exists", node, context),
            "countExpression": lambda node, context: subquery("count", node, context),
            "collectExpression": lambda node, context: subquery("collect", node, context),
            "patternExpression": lambda node, context: pattern("exists", node, context),
            "shortestPathPattern": self._shortest_path,
            "reduceExpression": self._reduction,
            "patternComprehension": lambda node, context: pattern("collect", node, context),
            "expression": lambda node, context: self._joined("or", node, context),
            "expression11": lambda node, context: self._joined("xor", node, context),
            "expression10": lambda node, context: self._joined("and", node, context),
            "expression9": self._negation,
            "expression8": self._comparison,
            "expression7": self._test,
            "expression6": self._arithmetic,
            "expression5": self._arithmetic,
            "expression4": self._arithmetic,
            "expression3": self._sign,
            "expression2": self._postfixed,
        }

    def term(self, node: Node | None, context: Context) -> Term:
        """What an expression stands for; unknown where that is too large to be worked with."""
        if node is None:
            return Unknown("")
        found = self._read(node, context)
        if node.rule == "expression" and not self._draft.has_room_for(found):
            self._draft.miss("an expression that is too large", node)
            return Unknown(self._draft.parsed.source(node))
        return found

    def _read(self, node: Node, context: Context) -> Term:
        readers = self._readers
        while True:
            # Rules of the grammar that only hand on to the next one are passed over.
            if len(node.children) == 1:
                child = node.children[0]
                if isinstance(child, Node) and node.rule not in _WHOLE:
                    node = child
                    continue
            reader = readers.get(node.rule)
            return self.unknown(node, context) if reader is None else reader(node, context)

    def unknown(self, node: Node, context: Context) -> Unknown:
        """What is not understood: only the expressions within it are read."""
        parts = tuple(self.term(child, context) for child in self.outermost(node))
        return Unknown(self._draft.parsed.source(node), parts)

    def outermost(self, node: Node, *others: str) -> Iterator[Node]:
        """The expressions below a node, or nodes of other rules, none within another."""
        for child in node.nodes():
            if child.rule in ("expression", *others):
                yield child
            else:
                yield from self.outermost(child, *others)

    def _variable(self, node: Node, context: Context) -> Term:
        name = self._draft.name(node)
        if name in context.variables:
            return context.variables[name]
        self._draft.undefined.append(Use(name, None, context.block, node.start, node.stop))
        return Unknown(name)

    def _literal(self, node: Node, context: Context) -> Term:
        child = node.children[0]
        if isinstance(child, Token):
            return Constant(_TRUTHS[child.name]) if child.name in _TRUTHS else Unknown(child.text)
        return self.term(child, context)

    def _string(self, node: Node, context: Context) -> Term:
        return Constant(literal_value(next(node.tokens())))

    def _number(self, node: Node, context: Context) -> Term:
        text = "".join(self._draft.parsed.source(node).split())
        value = number_value(text.lstrip("-"))
        return Unknown(text) if value is None else Constant(-value if text.startswith("-") else value)

    def _parameter(self, node: Node, context: Context) -> Term:
        return Parameter(self._draft.parsed.source(node).lstrip("$ ").strip("`"))

    def _call(self, node: Node, context: Context) -> Term:
        named = node.node("functionName")
        name = "" if named is None else self._draft.parsed.source(named).replace("`", "").replace(" ", "")
        self._draft.functions.append(Use(name, None, context.block, node.start, node.start + len(name)))
        arguments = tuple(self.term(each, context) for each in node.nodes("functionArgument"))
        if name.lower() == "exists" and len(arguments) == 1 and isinstance(arguments[0], Subquery):
            return arguments[0]
        return call(self._draft, name.lower(), arguments, node.token("DISTINCT") is not None)

    def entries(self, node: Node, context: Context) -> list[tuple[str, Term]]:
        """The entries of a map literal."""
        keys, values = node.nodes("propertyKeyName"), node.nodes("expression")
        return [
            (self._draft.name(key), self.term(value, context))
            for key, value in zip(keys, values, strict=False)
        ]

    def _projection(self, node: Node, context: Context) -> Term:
        named = node.node("variable")
        of = Unknown("") if named is None else self._variable(named, context)
        entries: list[tuple[str, Term]] = []
        everything: Term | None = None
        for element in node.nodes("mapProjectionElement"):
            looked_up, key, variable = (element.node(r) for r in ("property", "propertyKeyName", "variable"))
            if looked_up is not None:
                entries.append(self._entry(looked_up, of, context))
            elif key is not None:
                entries.append((self._draft.name(key), self.term(element.node("expression"), context)))
            elif variable is not None:
                entries.append((self._draft.name(variable), self._variable(variable, context)))
            else:
                everything = of
        return MapTerm(tuple(entries), everything)

    def _entry(self, node: Node, of: Term, context: Context) -> tuple[str, Term]:
        key = node.node("propertyKeyName") or node
        name = self._draft.name(key)
        self._draft.properties.append(Use(name, of, context.block, key.start, key.stop))
        return name, property_of(of, name)

    def _case(self, node: Node, context: Context) -> Term:
        branches = []
        for each in node.nodes("caseAlternative"):
            when, then = (self.term(part, context) for part in each.nodes("expression")[:2])
            branches.append((when, then))
        default = node.node("expression")
        return Case(tuple(branches), None if default is None else self.term(default, context))

    def _simple_case(self, node: Node, context: Context) -> Term:
        tested, *others = (self.term(each, context) for each in node.nodes("expression"))
        branches = []
        for each in node.nodes("extendedCaseAlternative"):
            whens = [self.term(when, context) for when in each.nodes("extendedWhen")]
            then = self.term(each.node("expression"), context)
            branches += [(operation("=", tested, when), then) for when in whens]
        return Case(tuple(branches), others[0] if others else None)

    def _comprehension(self, node: Node, context: Context) -> Term:
        element, inner = self._element(node, context)
        projection = self._after(node, "BAR")
        return Comprehension(
            "list",
            element,
            self._condition(node, inner),
            None if projection is None else self.term(projection, inner),
        )

    def _predicate(self, node: Node, context: Context) -> Term:
        element, inner = self._element(node, context)
        condition = self._condition(node, inner)
        kinds: tuple[ComprehensionKind, ...] = ("all", "none", "single")
        kind: ComprehensionKind = next((name for name in kinds if node.token(name.upper())), "any")
        return Comprehension(kind, element, condition, None)

    def _condition(self, node: Node, inner: Context) -> Term | None:
        """What the WHERE of a list expression asks of each element."""
        where = self._after(node, "WHERE")
        if where is None:
            return None
        term = self.term(where, inner)
        self._draft.tests.append(Test(term, inner.block, pattern=False))
        return term

    def _shortest_path(self, node: Node, context: Context) -> Term:
        pattern = self._pattern("exists", node, context)
        return Unknown(self._draft.parsed.source(node), (pattern,))

    def _reduction(self, node: Node, context: Context) -> Term:
        start, source, step = node.nodes("expression")
        total, each = (self._draft.name(variable) for variable in node.nodes("variable"))
        listed = self.term(source, context)
        element = element_of(self._draft, listed, context.block)
        inner = context.with_variables({total: Unknown(total), each: element})
        return Unknown(
            self._draft.parsed.source(node), (self.term(start, context), listed, self.term(step, inner))
        )

    def _element(self, node: Node, context: Context) -> tuple[Element, Context]:
        named = node.node("variable")
        source = self.term(node.node("expression"), context)
        value = element_of(self._draft, source, context.block)
        element = value if isinstance(value, Element) and value.of == source else Element(source, 0)
        name = "" if named is None else self._draft.name(named)
        return element, context.with_variables({name: value})

    @staticmethod
    def _after(node: Node, token: str) -> Node | None:
        found = False
        for child in node.children:
            if isinstance(child, Token):
                found = child.name == token
            elif found and child.rule == "expression":
                return child
        return None

    def _joined(self, operator: str, node: Node, context: Context) -> Term:
        return operation(operator, *(self.term(each, context) for each in node.nodes()))

    def _negation(self, node: Node, context: Context) -> Term:
        term = self.term(node.nodes()[-1], context)
        count = sum(isinstance(child, Token) for child in node.children)
        return operation("not", term) if count % 2 else term

    def _comparison(self, node: Node, context: Context) -> Term:
        terms = [self.term(each, context) for each in node.nodes()]
        operators = [_COMPARED.get(part.name, "?") for part in node.children if isinstance(part, Token)]
        pairs = [
            self._compared(operator, (terms[place], terms[place + 1]), node, context)
            for place, operator in enumerate(operators)
            if place + 1 < len(terms)
        ]
        return pairs[0] if len(pairs) == 1 else operation("and", *pairs)

    def _compared(self, operator: str, operands: tuple[Term, Term], node: Node, context: Context) -> Term:
        """A comparison; notes the labels or types that it names, as in ``'Reaction' IN labels(n)``."""
        term = operation(operator, *operands)
        if isinstance(term, HasLabel) and not isinstance(term.of, EdgeTerm):
            uses = [Use(each, term.of, context.block, node.start, node.stop) for each in term.labels]
            of_type = any(isinstance(each, Call) and each.name == "type" for each in operands)
            (self._draft.types if of_type else self._draft.labels).extend(uses)
        return term

    def _test(self, node: Node, context: Context) -> Term:
        left, test = self.term(node.nodes()[0], context), node.node("comparisonExpression6")
        if test is None:
            return self.unknown(node, context)
        words = [part.name for part in test.children if isinstance(part, Token)]
        operands = test.nodes()
        if operands and words[0] in ("IN", "CONTAINS", "REGEQ", "STARTS", "ENDS"):
            operator = {"REGEQ": "=~"}.get(words[0], " ".join(words).lower())
            return self._compared(operator, (left, self.term(operands[-1], context)), node, context)
        if words[-1:] == ["NULL"]:
            return operation("is not null" if "NOT" in words else "is null", left)
        return Unknown(self._draft.parsed.source(node), (left,))

    def _arithmetic(self, node: Node, context: Context) -> Term:
        result: Term | None = None
        operator = ""
        for child in node.children:
            if isinstance(child, Token):
                operator = {"PLUS": "+", "MINUS": "-", "TIMES": "*", "DIVIDE": "/", "DOUBLEBAR": "+"}.get(
                    child.name, child.text
                )
            else:
                term = self.term(child, context)
                result = term if result is None else operation(operator, result, term)
        return Unknown("") if result is None else result

    def _sign(self, node: Node, context: Context) -> Term:
        term = self.term(node.nodes()[-1], context)
        return operation("-", Constant(0), term) if node.token("MINUS") else term

    def _postfixed(self, node: Node, context: Context) -> Term:
        first, *rest = node.nodes()
        term = self.term(first, context)
        for postfix in rest:
            term = self._with_postfix(term, postfix, context)
        return term

    def _with_postfix(self, of: Term, postfix: Node, context: Context) -> Term:
        looked_up, labelled = postfix.find("property"), postfix.node("labelExpression")
        if postfix.token("LBRACKET") is not None:
            places = [self.term(each, context) for each in postfix.nodes("expression")]
            if postfix.token("DOTDOT") is not None:
                return Call("slice", (of, *places))
            place = places[0] if places else Unknown("")
            if isinstance(place, Constant) and type(place.value) is int:
                found = item_of(self._draft, of, place.value)
                return Operation("[]", (of, place)) if found is None else found
            if isinstance(place, Constant) and isinstance(place.value, str):
                self._draft.properties.append(
                    Use(place.value, of, context.block, postfix.start, postfix.stop)
                )
                return property_of(of, place.value)
            return Operation("[]", (of, place))
        if labelled is not None:
            return self.label_test(of, labelled, context)
        if looked_up is not None:
            return self._entry(looked_up, of, context)[1]
        return Unknown(self._draft.parsed.source(postfix), (of,))

    def label_test(self, of: Term, node: Node, context: Context) -> Term:
        """A label expression as a test, such as ``n:Molecule`` or ``n:Molecule|Reaction``."""
        self._draft.labels += self.names(of, node, context)
        return self.labels(of, node)

    def names(self, of: Term, node: Node, context: Context) -> list[Use]:
        """The labels or types that a label expression names."""
        return [
            Use(self._draft.name(each), of, context.block, each.start, each.stop)
            for each in node.find_all("symbolicNameString", "symbolicLabelNameString")
        ]

    def labels(self, of: Term, node: Node) -> Term:
        """What a label expression asks; ``:``, ``IS``, ``&``, ``|``, ``!`` and ``%`` are understood."""
        rule, parts = node.rule.removesuffix("Is"), node.nodes()
        if node.token("PERCENT") is not None:
            return Operation("labelled", (of,))
        if not parts or rule == "dynamicAnyAllExpression":
            return Unknown(self._draft.parsed.source(node), (of,))
        if rule in ("labelExpression4", "labelExpression3") and len(parts) > 1:
            terms = [self.labels(of, part) for part in parts]
            plain = [each for each in terms if isinstance(each, HasLabel)]
            if rule == "labelExpression3":
                return operation("and", *terms)
            if len(plain) == len(terms):
                return HasLabel(of, tuple(label for each in plain for label in each.labels))
            return operation("or", *terms)
        if rule == "labelExpression2":
            marks = sum(isinstance(mark, Token) for mark in node.children)
            term = self.labels(of, parts[0])
            return operation("not", term) if marks % 2 else term
        if parts[0].rule.startswith("symbolic"):
            return HasLabel(of, (self._draft.name(parts[0]),))
        return self.labels(of, parts[0])
