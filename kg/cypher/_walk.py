"""The fast way through the grammar: one token decides, or SLL prediction; it gives up at the first error."""

from kg.cypher._lookahead import DECISION, RULE, STOP, TOKEN, Lookahead
from kg.cypher._runtime import (
    ATN,
    DFA,
    ParserATNSimulator,
    PredictionContextCache,
    PredictionMode,
    RecognitionException,
    RuleContext,
)
from kg.cypher._tokens import Token
from kg.cypher._tree import Node

_END = -1


class _TokenTypes:
    """What ANTLR's prediction asks of a token stream, on a list of token types."""

    def __init__(self, types: list[int]) -> None:
        self._types = types
        self.index = 0

    def LA(self, ahead: int) -> int:  # noqa: N802
        return self._types[self.index + ahead - 1]

    def LT(self, ahead: int) -> int:  # noqa: N802
        return self.LA(ahead)

    def get(self, index: int) -> int:
        return self._types[index]

    def consume(self) -> None:
        self.index += 1

    def seek(self, index: int) -> None:
        self.index = index

    def mark(self) -> int:
        return 0

    def release(self, marker: int) -> None:
        """Nothing is buffered, so nothing is let go."""


class Walker:
    """Parses token lists that follow the grammar; says None of those that do not."""

    def __init__(self, atn: ATN, rules: list[str], start: int) -> None:
        self._lookahead = Lookahead(atn, start)
        self._rules = rules
        self._start = start
        self._first_state: int = atn.ruleToStartState[start].stateNumber
        decisions = [DFA(state, number) for number, state in enumerate(atn.decisionToState)]
        self._predictor = ParserATNSimulator(None, atn, decisions, PredictionContextCache())
        self._predictor.predictionMode = PredictionMode.SLL

    def walk(self, tokens: list[Token], types: list[int], end: int) -> Node | None:
        """Return the tree of a query, or None where it does not follow the grammar.

        Args:
            tokens: The tokens of the query.
            types: Their grammar types.
            end: The length of the query's text.
        """
        step_of, decisions, rules = self._lookahead.step, self._lookahead.decisions, self._rules
        stream = _TokenTypes([*types, _END])
        starts = [*(token.start for token in tokens), end]
        root = node = Node(rules[self._start], starts[0], None)
        state, position, upcoming = self._first_state, 0, stream.get(0)
        returns: list[int] = []
        while True:
            kind, a, b, c = step_of(state)
            if kind == DECISION:
                decision = decisions[a]
                following = decision.by_token.get(upcoming)
                if following is None:
                    return None
                if following < 0:
                    stream.seek(position)
                    try:
                        chosen = self._predictor.adaptivePredict(stream, decision.number, RuleContext.EMPTY)
                    except (RecognitionException, RecursionError):
                        return None
                    following = decision.targets[chosen - 1]
                state = following
            elif kind == RULE:
                child = Node(rules[a], starts[position], node)
                node.children.append(child)
                node = child
                returns.append(c)
                state = b
            elif kind == STOP:
                if position:
                    node.stop = tokens[position - 1].stop
                if not returns or node.parent is None:
                    return root
                if not node.children:
                    node.parent.children.pop()
                node = node.parent
                state = returns.pop()
            else:
                if not (upcoming == a if kind == TOKEN else a >> upcoming + 1 & 1):
                    return None
                if upcoming != _END:
                    node.children.append(tokens[position])
                    position += 1
                    upcoming = stream.get(position)
                state = b
