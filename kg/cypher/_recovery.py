"""The thorough way through the grammar: full LL prediction, errors reported and passed over.

The interpreter that the Python runtime ships does not run, so this one steps through the network itself and
leaves prediction, messages and recovery to the runtime.
"""

from itertools import accumulate
from typing import Any, NamedTuple

from kg.cypher._runtime import (
    ATN,
    DFA,
    ATNState,
    CommonToken,
    CommonTokenStream,
    ErrorListener,
    ListTokenSource,
    Parser,
    ParserATNSimulator,
    ParserRuleContext,
    PredictionContextCache,
    RecognitionException,
    RuleStopState,
    TerminalNode,
    Transition,
)
from kg.cypher._tables import RecognizerTables
from kg.cypher._tokens import Token
from kg.cypher._tree import Node

_LONGEST_MESSAGE = 200
_DEEPEST = 50
"""Brackets within brackets. Time grows with the square of the depth; queries stay far below."""


class SyntaxIssue(NamedTuple):
    """Where a query leaves the grammar: a character offset and what ANTLR says of it."""

    offset: int
    message: str


class _Context(ParserRuleContext):  # type: ignore[misc]
    """A rule being parsed; the runtime's own class for this forgets its rule."""

    def __init__(self, parent: "_Context | None", state: int, rule: int) -> None:
        super().__init__(parent, state)
        self.rule = rule

    def getRuleIndex(self) -> int:  # noqa: N802
        return self.rule


class _Listener(ErrorListener):  # type: ignore[misc]
    def __init__(self) -> None:
        self.issues: list[SyntaxIssue] = []

    def syntaxError(  # noqa: N802
        self, recognizer: Any, symbol: Any, line: int, column: int, message: str, error: Any
    ) -> None:
        if len(message) > _LONGEST_MESSAGE:  # hundreds of keywords may be expected
            message = message.split(" expecting ")[0][:_LONGEST_MESSAGE]
        self.issues.append(SyntaxIssue(symbol.start, message))


class _Interpreter(Parser):  # type: ignore[misc]
    state: int

    def __init__(self, recovery: "Recovery", stream: CommonTokenStream) -> None:
        super().__init__(stream)
        self.ruleNames = recovery.tables.rules
        self.literalNames = [name or "<INVALID>" for name in recovery.tables.literals]
        self.symbolicNames = [name or "<INVALID>" for name in recovery.tables.symbols]
        self.atn = recovery.atn
        self._interp = ParserATNSimulator(self, recovery.atn, recovery.decisions, recovery.contexts)

    def run(self, rule: int) -> _Context:
        states: list[ATNState] = self.atn.states
        start = self.atn.ruleToStartState[rule]
        root = _Context(None, -1, rule)
        self.enterRule(root, start.stateNumber, rule)
        while True:
            state = states[self.state]  # the runtime keeps the number of the state it is in
            if isinstance(state, RuleStopState):
                ended = self._ctx is root
                self.exitRule()
                if ended:
                    return root
                self.state = states[self.state].transitions[0].followState.stateNumber
                continue
            try:
                self._step(state)
            except RecognitionException as error:
                self.state = self.atn.ruleToStopState[state.ruleIndex].stateNumber
                self._ctx.exception = error
                self._errHandler.reportError(self, error)
                self._errHandler.recover(self, error)

    def _step(self, state: Any) -> None:
        alternative = 1
        if len(state.transitions) > 1:
            self._errHandler.sync(self)
            alternative = self._interp.adaptivePredict(self._input, state.decision, self._ctx)
        edge = state.transitions[alternative - 1]
        target = edge.target
        if edge.serializationType == Transition.RULE:
            self.enterRule(
                _Context(self._ctx, state.stateNumber, target.ruleIndex), target.stateNumber, target.ruleIndex
            )
            return
        if edge.serializationType == Transition.ATOM:
            self.match(edge.label_)
        elif edge.serializationType != Transition.EPSILON:
            if not edge.matches(self._input.LA(1), 1, 0x10FFFF):
                self._errHandler.recoverInline(self)
            self.matchWildcard()
        self.state = target.stateNumber


class Recovery:
    """Parses token lists that do not follow the grammar, as far as they do."""

    def __init__(self, atn: ATN, tables: RecognizerTables, start: int) -> None:
        self.atn = atn
        self.tables = tables
        self.decisions = [DFA(state, number) for number, state in enumerate(atn.decisionToState)]
        self.contexts = PredictionContextCache()
        self._start = start

    def parse(self, tokens: list[Token], types: list[int], end: int) -> tuple[Node, list[SyntaxIssue]]:
        """Return the tree, partial where there are errors, and the errors.

        Args:
            tokens: The tokens of the query.
            types: Their grammar types.
            end: The length of the query's text.
        """
        if _depth(tokens) > _DEEPEST:
            return self._unreadable()
        stream = CommonTokenStream(ListTokenSource(_antlr_tokens(tokens, types, end)))
        stream.fill()
        interpreter = _Interpreter(self, stream)
        listener = _Listener()
        interpreter.removeErrorListeners()
        interpreter.addErrorListener(listener)
        try:
            root = interpreter.run(self._start)
        except RecursionError:  # the runtime follows rules by recursion, whatever makes them deep
            return self._unreadable()
        return self._convert(root, tokens, end), listener.issues

    def _unreadable(self) -> tuple[Node, list[SyntaxIssue]]:
        issue = SyntaxIssue(0, "not valid, and nested too deeply to say where")
        return Node(self.tables.rules[self._start], 0, None), [issue]

    def _convert(self, root: _Context, tokens: list[Token], end: int) -> Node:
        top = Node(self.tables.rules[root.rule], tokens[0].start if tokens else end, None)
        waiting: list[tuple[_Context, Node]] = [(root, top)]
        order: list[Node] = []
        while waiting:
            context, node = waiting.pop()
            order.append(node)
            for child in context.children or ():
                if isinstance(child, TerminalNode):
                    # A token that recovery made up has no index, the end of text no token.
                    if 0 <= child.symbol.tokenIndex < len(tokens):
                        node.children.append(tokens[child.symbol.tokenIndex])
                else:
                    part = Node(self.tables.rules[child.rule], _start(child, end), node)
                    node.children.append(part)
                    waiting.append((child, part))
        for node in reversed(order):
            node.children = [child for child in node.children if isinstance(child, Token) or child.children]
            node.stop = node.children[-1].stop if node.children else node.start
        return top


def _start(context: _Context, end: int) -> int:
    offset = end if context.start is None else context.start.start
    return int(offset)


def _depth(tokens: list[Token]) -> int:
    steps = (
        1 if token.text in ("(", "[", "{") else -1 if token.text in (")", "]", "}") else 0 for token in tokens
    )
    return max(accumulate(steps), default=0)


def _antlr_tokens(tokens: list[Token], types: list[int], end: int) -> list[CommonToken]:
    made = []
    for token, token_type in zip(tokens, types, strict=True):
        copy = CommonToken(type=token_type, start=token.start, stop=token.stop - 1)
        copy.text = token.text
        made.append(copy)
    last = CommonToken(type=-1, start=end, stop=end - 1)
    last.text = "<EOF>"
    return [*made, last]
