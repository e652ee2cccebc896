"""What a label expression or a WHERE says of one variable: for which choices it may be true or false."""

from collections.abc import Iterable

from kg.cypher import Node, ParsedQuery, Rule, Token, TokenKind, name_of, string_literals
from kg.direction._kinds import Truth, Universe


def core(node: Node) -> Node:
    """The node that an expression comes down to, past the levels of precedence it has no use for."""
    while node.rule.startswith(Rule.EXPRESSION) and len(node.children) == 1:
        child = node.children[0]
        if isinstance(child, Token):
            break
        node = child
    return node


def property_of(parsed: ParsedQuery, node: Node) -> tuple[str, str] | None:
    """The variable and the property of an expression that begins ``variable.property``."""
    if node.rule != Rule.ACCESS:
        return None
    base, *rest = node.nodes()
    found = rest[0].node(Rule.PROPERTY) if rest else None
    key = None if found is None else found.node(Rule.PROPERTY_KEY)
    variable = core(base)
    if key is None or variable.rule != Rule.VARIABLE:
        return None
    return name_of(parsed, variable), name_of(parsed, key)


def left_by_labels(parsed: ParsedQuery, expression: Node, universe: Universe) -> int:
    """The choices that a pattern's label expression leaves.

    Where labels stand together that the schema knows only apart, a node with any of them: a schema written
    by hand may not tell which go together.
    """
    left = said_by_labels(parsed, expression, universe).true
    if not left:
        for name in expression.find_all(Rule.SYMBOLIC_NAME):
            left |= universe.named.get(name_of(parsed, name), 0)
    return left


def said_by_labels(parsed: ParsedQuery, node: Node, universe: Universe) -> Truth:
    """What a label expression says, ``:``, ``IS``, ``&``, ``|``, ``!`` and ``%`` understood."""
    rule, parts = node.rule.removesuffix("Is"), node.nodes()
    names = {token.name for token in node.children if isinstance(token, Token)}
    anything = Truth(universe.everything, universe.everything)
    if rule in (Rule.LABEL_OR, Rule.LABEL_AND):
        truths = [said_by_labels(parsed, part, universe) for part in parts]
        return _any(truths) if rule == Rule.LABEL_OR else _all(truths)
    if rule == Rule.LABEL_NOT:
        truth = said_by_labels(parsed, parts[0], universe)
        marks = sum(isinstance(mark, Token) for mark in node.children)
        return _not(truth) if marks % 2 else truth
    if rule == Rule.LABEL_ATOM and "PERCENT" in names:
        return Truth(universe.named_at_all, universe.everything & ~universe.named_at_all)
    if rule == Rule.DYNAMIC_LABEL or not parts:
        return anything
    if rule == Rule.LABEL_EXPRESSION or (rule == Rule.LABEL_ATOM and "LPAREN" in names):
        return said_by_labels(parsed, parts[0], universe)
    if parts[0].rule == Rule.DYNAMIC_LABEL:
        return anything
    return _named(name_of(parsed, node), universe)


class Predicate:
    """A predicate, asked about one variable.

    Args:
        parsed: The query.
        variable: The name of the variable; what is said of others is taken to be either way.
        universe: What it may be.
        key: The property whose absence counts; None looks at labels and types alone.
    """

    def __init__(
        self, parsed: ParsedQuery, variable: str, universe: Universe, key: str | None = None
    ) -> None:
        self._parsed = parsed
        self._variable = variable
        self._universe = universe
        self._key = key
        self._anything = Truth(universe.everything, universe.everything)

    def ask(self, node: Node) -> Truth:
        """What an expression says when it is asked to be true."""
        node = core(node)
        rule, parts = node.rule, node.nodes()
        if rule == Rule.AND:
            return _all(map(self.ask, parts))
        if rule == Rule.EXPRESSION:
            return _any(map(self.ask, parts))
        if rule == Rule.XOR:
            truth = self.ask(parts[0])
            for part in parts[1:]:
                truth = _either_alone(truth, self.ask(part))
            return truth
        if rule == Rule.NOT:
            truth = self.ask(parts[0])
            return _not(truth) if (len(node.children) - 1) % 2 else truth
        if rule == Rule.PARENTHESIZED:
            return self.ask(parts[0])
        if rule == Rule.COMPARISON:
            return self._compared(parts, node.token("EQ") is not None and len(parts) == 2)
        if rule == Rule.TEST:
            return self._tested(core(parts[0]), parts[1])
        if rule == Rule.ACCESS and len(parts) == 2 and self._is_variable(parts[0]):
            labels = parts[1].node(Rule.LABEL_EXPRESSION)
            return self._anything if labels is None else said_by_labels(self._parsed, labels, self._universe)
        return self._anything

    def _compared(self, parts: list[Node], equal: bool) -> Truth:
        sides = [core(part) for part in parts]
        if any(map(self._is_property, sides)):
            return self._null_unless_there()
        if equal:
            for call, other in (sides, sides[::-1]):
                if self._called(call) == "TYPE" and other.find(Rule.STRING_LITERAL):
                    return self._one_of(other)
        return self._anything

    def _tested(self, subject: Node, test: Node) -> Truth:
        words = [token.name for token in test.children if isinstance(token, Token)]
        operands = test.nodes()
        if self._is_property(subject):
            if words[:1] != ["IS"]:
                return self._null_unless_there()
            if words == ["IS", "NOT", "NULL"]:
                return Truth(self._having(), self._universe.everything)
            if words == ["IS", "NULL"]:
                return Truth(self._universe.everything, self._having())
        if words == ["IN"] and operands:
            if self._called(subject) == "TYPE" and core(operands[0]).rule == Rule.LIST_LITERAL:
                return self._one_of(operands[0])
            if self._called(operands[0]) == "LABELS" and subject.find(Rule.STRING_LITERAL):
                return self._one_of(subject)
        return self._anything

    def _one_of(self, literals: Node) -> Truth:
        """What it says that a type or label is one of some strings; other things in the list may be any."""
        source = self._parsed.source(literals)
        tokens = [token for token in literals.tokens() if token.kind is not TokenKind.SYMBOL]
        if any(token.kind is not TokenKind.STRING for token in tokens):
            return self._anything
        return _any([_named(literal.value, self._universe) for literal in string_literals(source)])

    def _null_unless_there(self) -> Truth:
        return Truth(self._having(), self._having())

    def _having(self) -> int:
        return self._universe.having.get(self._key or "", self._universe.everything)

    def _is_variable(self, node: Node) -> bool:
        node = core(node)
        return node.rule == Rule.VARIABLE and name_of(self._parsed, node) == self._variable

    def _is_property(self, node: Node) -> bool:
        return (
            self._key is not None
            and len(node.children) == 2
            and property_of(self._parsed, node) == (self._variable, self._key)
        )

    def _called(self, node: Node) -> str | None:
        """The function, in capitals, that an expression calls with the variable alone."""
        node = core(node)
        name, arguments = node.node(Rule.FUNCTION_NAME), node.nodes(Rule.FUNCTION_ARGUMENT)
        if name is None or len(arguments) != 1 or not self._is_variable(arguments[0].nodes()[0]):
            return None
        return self._parsed.source(name).upper()


def _named(name: str, universe: Universe) -> Truth:
    if name not in universe.named:
        return universe.unknown
    return Truth(universe.named[name], universe.everything & ~universe.named[name])


def _all(truths: Iterable[Truth]) -> Truth:
    true, false = -1, 0
    for truth in truths:
        true, false = true & truth.true, false | truth.false
    return Truth(true, false)


def _any(truths: Iterable[Truth]) -> Truth:
    return _not(_all(map(_not, truths)))


def _not(truth: Truth) -> Truth:
    return Truth(truth.false, truth.true)


def _either_alone(first: Truth, second: Truth) -> Truth:
    return Truth(
        first.true & second.false | first.false & second.true,
        first.true & second.true | first.false & second.false,
    )
