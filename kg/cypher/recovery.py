"""What one token decides in the parser's network, and parsing of texts that leave the grammar.

Sets of tokens are bit masks; the bit of a token type is ``type + 1``, so that the end of text (-1) is bit 0.
The interpreter that the Python runtime ships does not run, so `Recovery` steps through the network itself and
leaves prediction, messages and recovery to the runtime.
"""

from typing import Any, NamedTuple

from antlr4 import CommonTokenStream, Parser
from antlr4.atn.ATN import ATN
from antlr4.atn.ATNState import ATNState, RuleStopState
from antlr4.atn.ParserATNSimulator import ParserATNSimulator
from antlr4.atn.Transition import Transition
from antlr4.dfa.DFA import DFA
from antlr4.error.ErrorListener import ErrorListener
from antlr4.error.Errors import RecognitionException
from antlr4.ListTokenSource import ListTokenSource
from antlr4.ParserRuleContext import ParserRuleContext
from antlr4.PredictionContext import PredictionContextCache
from antlr4.Token import CommonToken
from antlr4.tree.Tree import TerminalNode

from retrocypher.kg.cypher.grammar import RecognizerTables, token_intervals
from retrocypher.kg.cypher.tokens import Node, Token

STOP, TOKEN, TOKEN_SET, RULE, DECISION = range(5)

Step = tuple[int, int, int, int]
"""(kind, a, b, c): STOP; TOKEN (type, next state, -); TOKEN_SET (mask, next state, -); RULE (rule, its first
state, the state after it); DECISION (index in ``Lookahead.decisions``, -, -)."""

_LONGEST_MESSAGE = 200


class Decision(NamedTuple):
    """A choice between alternatives with the first state of each (``targets``).

    ``by_token`` holds the state to go to where one token decides, -1 where more are needed; a token that is
    absent fits no alternative.
    """

    number: int
    targets: list[int]
    by_token: dict[int, int]


class Lookahead:
    """A parser's network without predicates, actions or left recursion, as steps worked out when reached."""

    def __init__(self, atn: ATN, start: int) -> None:
        self._atn = atn
        self._steps: dict[int, Step] = {}
        self.decisions: list[Decision] = []
        self._first, self._nullable = self._first_sets()
        self._follow = self._follow_sets(start)

    def step(self, number: int) -> Step:
        """What happens in a state of the network."""
        known = self._steps.get(number)
        if known is None:
            known = self._steps[number] = self._work_out(number)
        return known

    def _work_out(self, number: int) -> Step:
        state = self._atn.states[number]
        while len(state.transitions) == 1 and state.transitions[0].serializationType == Transition.EPSILON:
            if isinstance(state, RuleStopState):
                break
            state = state.transitions[0].target
        if isinstance(state, RuleStopState):
            return (STOP, 0, 0, 0)
        if len(state.transitions) > 1:
            self.decisions.append(self._decide(state))
            return (DECISION, len(self.decisions) - 1, 0, 0)
        edge = state.transitions[0]
        following = edge.target.stateNumber
        if edge.serializationType == Transition.ATOM:
            return (TOKEN, edge.label_, following, 0)
        if edge.serializationType == Transition.RULE:
            return (RULE, edge.target.ruleIndex, following, edge.followState.stateNumber)
        return (TOKEN_SET, self._mask(edge), following, 0)

    def _decide(self, state: ATNState) -> Decision:
        begins: list[int] = []
        for edge in state.transitions:
            mask, nullable = self._reach(edge.target)
            begins.append(mask | (self._follow[state.ruleIndex] if nullable else 0))
        targets = [edge.target.stateNumber for edge in state.transitions]
        by_token: dict[int, int] = {}
        for bit in range(self._atn.maxTokenType + 2):
            fitting = [target for target, mask in zip(targets, begins, strict=True) if mask >> bit & 1]
            if fitting:
                by_token[bit - 1] = fitting[0] if len(fitting) == 1 else -1
        return Decision(state.decision, targets, by_token)

    def _first_sets(self) -> tuple[list[int], list[bool]]:
        count = len(self._atn.ruleToStartState)
        first, nullable = [0] * count, [False] * count
        self._first, self._nullable = first, nullable
        changed = True
        while changed:
            changed = False
            for rule in reversed(range(count)):
                found = self._reach(self._atn.ruleToStartState[rule])
                if found != (first[rule], nullable[rule]):
                    first[rule], nullable[rule] = found
                    changed = True
        return first, nullable

    def _follow_sets(self, start: int) -> list[int]:
        follow = [0] * len(self._first)
        follow[start] = 1
        calls = [
            (edge.target.ruleIndex, state.ruleIndex, *self._reach(edge.followState))
            for state in self._atn.states
            if state is not None and not isinstance(state, RuleStopState)
            for edge in state.transitions
            if edge.serializationType == Transition.RULE
        ]
        changed = True
        while changed:
            changed = False
            for rule, caller, mask, nullable in calls:
                wider = follow[rule] | mask | (follow[caller] if nullable else 0)
                if wider != follow[rule]:
                    follow[rule], changed = wider, True
        return follow

    def _reach(self, state: ATNState) -> tuple[int, bool]:
        """The tokens that can come next from a state within its rule, and whether the rule can end first."""
        mask, nullable = 0, False
        seen: set[int] = set()
        waiting = [state]
        while waiting:
            state = waiting.pop()
            if state.stateNumber in seen:
                continue
            seen.add(state.stateNumber)
            if isinstance(state, RuleStopState):
                nullable = True
                continue
            for edge in state.transitions:
                if edge.serializationType == Transition.RULE:
                    mask |= self._first[edge.target.ruleIndex]
                    if self._nullable[edge.target.ruleIndex]:
                        waiting.append(edge.followState)
                elif edge.serializationType == Transition.EPSILON:
                    waiting.append(edge.target)
                else:
                    mask |= self._mask(edge)
        return mask, nullable

    def _mask(self, edge: Transition) -> int:
        mask = 0
        for interval in token_intervals(edge, self._atn.maxTokenType):
            mask |= (1 << interval.stop + 1) - (1 << interval.start + 1)
        return mask


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
        """Return the tree, partial where there are errors, and the errors."""
        stream = CommonTokenStream(ListTokenSource(_antlr_tokens(tokens, types, end)))
        stream.fill()
        interpreter = _Interpreter(self, stream)
        listener = _Listener()
        interpreter.removeErrorListeners()
        interpreter.addErrorListener(listener)
        try:
            root = interpreter.run(self._start)
        except RecursionError:  # the runtime follows rules by recursion, whatever makes them deep
            issue = SyntaxIssue(0, "not valid, and nested too deeply to say where")
            return Node(self.tables.rules[self._start], 0, None), [issue]
        return self._convert(root, tokens, end), listener.issues

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


def _antlr_tokens(tokens: list[Token], types: list[int], end: int) -> list[CommonToken]:
    made = []
    for token, token_type in zip(tokens, types, strict=True):
        copy = CommonToken(type=token_type, start=token.start, stop=token.stop - 1)
        copy.text = token.text
        made.append(copy)
    last = CommonToken(type=-1, start=end, stop=end - 1)
    last.text = "<EOF>"
    return [*made, last]
