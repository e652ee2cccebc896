"""Which token can begin what: the part of parsing that one token decides.

Sets of tokens are bit masks; the bit of a token type is ``type + 1``, so that the end of text (-1) is bit 0.
"""

from typing import NamedTuple

from kg.cypher._runtime import ATN, ATNState, RuleStopState, Transition, token_intervals

STOP, TOKEN, TOKEN_SET, RULE, DECISION = range(5)

Step = tuple[int, int, int, int]
"""(kind, a, b, c): STOP; TOKEN (type, next state, -); TOKEN_SET (mask, next state, -); RULE (rule, its first
state, the state after it); DECISION (index in ``Lookahead.decisions``, -, -)."""


class Decision(NamedTuple):
    """A choice between alternatives.

    ``targets`` is the first state of each; ``by_token`` the state to go to where one token decides, -1 where
    more are needed (a token that is absent fits no alternative).
    """

    number: int
    targets: list[int]
    by_token: dict[int, int]


class Lookahead:
    """The network of a parser as plain steps, worked out state by state as a walk reaches them.

    Args:
        atn: A network without predicates, actions or left recursion.
        start: The rule that begins a text.
    """

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
