"""A lexer that walks the grammar's own lexer network.

It does what ANTLR's ``LexerATNSimulator`` does: the longest match wins, then the rule that comes first, and
a non-greedy loop ends at its first chance. The automaton is built state by state as text asks for it, one
dictionary look-up a character; the simulator of the Python runtime needs some fifty times longer.
"""

from typing import NamedTuple

from kg.cypher._runtime import ATN, ATNState, RuleStopState, Transition, deserialize, token_intervals
from kg.cypher._tables import RecognizerTables
from kg.errors import GraphError

_UNSUPPORTED = frozenset({Transition.PREDICATE, Transition.PRECEDENCE})
_LAST = 0x10FFFF
_LAST_KEPT = "\u04ff"
"""Edges of later characters are not kept: text in any script must not fill the memory."""


class _Path(NamedTuple):
    """A place the network can be in: the state, the rules to return to, the token rule it began with."""

    state: int
    returns: tuple[int, ...]
    rule: int
    past_lazy_loop: bool


class _State:
    """A state of the automaton: ``token`` is the type of a token that may end here, 0 for none."""

    __slots__ = ("edges", "paths", "token")

    def __init__(self, paths: tuple[_Path, ...], token: int) -> None:
        self.paths = paths
        self.token = token
        self.edges: dict[str, _State | None] = {}


class Lexer:
    """Splits text into token types and end offsets.

    Args:
        tables: The tables of a lexer with one mode, no predicates and no actions but channels.

    Raises:
        GraphError: The tables belong to a lexer that this one cannot run.
    """

    def __init__(self, tables: RecognizerTables) -> None:
        self._atn: ATN = deserialize(tables.atn)
        states: list[ATNState] = [state for state in self._atn.states if state is not None]
        kinds = {edge.serializationType for state in states for edge in state.transitions}
        if kinds & _UNSUPPORTED or len(self._atn.modeToStartState) != 1:
            raise GraphError("The Cypher grammar's lexer has modes or predicates, which are not supported.")
        self._known: dict[tuple[_Path, ...], _State] = {}
        start = self._atn.modeToStartState[0]
        self._token_types = [self._atn.ruleToTokenType[edge.target.ruleIndex] for edge in start.transitions]
        paths: list[_Path] = []
        for rule, edge in enumerate(start.transitions):
            self._close(_Path(edge.target.stateNumber, (), rule, False), False, paths)
        self._start = self._state(paths)

    def scan(self, text: str) -> list[tuple[int, int]]:
        """Return (token type, end offset) of every token, hidden ones included, in order.

        Type 0 stands for a character that no rule takes.
        """
        found: list[tuple[int, int]] = []
        start, step, size = self._start, self._step, len(text)
        position = 0
        while position < size:
            state = start
            end, token = position + 1, 0
            while position < size:
                character = text[position]
                try:
                    following = state.edges[character]
                except KeyError:
                    following = step(state, character)
                if following is None:
                    break
                state = following
                position += 1
                if state.token:
                    end, token = position, state.token
            found.append((token, end))
            position = end
        return found

    def _step(self, state: _State, character: str) -> _State | None:
        code = ord(character)
        reached: list[_Path] = []
        finished = -1
        for path in state.paths:
            ended = path.rule == finished
            if ended and path.past_lazy_loop:
                continue  # a lazy loop that could end here does not go on
            for edge in self._atn.states[path.state].transitions:
                if edge.isEpsilon or not any(code in taken for taken in token_intervals(edge, _LAST, 0)):
                    continue
                if self._close(_along(path, edge), ended, reached):
                    finished = path.rule
        following = self._state(reached) if reached else None
        if character <= _LAST_KEPT:
            state.edges[character] = following
        return following

    def _close(self, path: _Path, ended: bool, found: list[_Path]) -> bool:
        """Add what a path reaches without consuming; whether its token rule can end there or could before."""
        state = self._atn.states[path.state]
        if isinstance(state, RuleStopState):
            if not path.returns:
                found.append(path)
                return True
            return self._close(path._replace(state=path.returns[-1], returns=path.returns[:-1]), ended, found)
        if not state.epsilonOnlyTransitions and not (ended and path.past_lazy_loop):
            found.append(path)
        for edge in state.transitions:
            if edge.isEpsilon:
                ended = self._close(_along(path, edge), ended, found)
        return ended

    def _state(self, paths: list[_Path]) -> _State:
        key = tuple(dict.fromkeys(paths))
        if key not in self._known:
            rule = next((path.rule for path in key if self._ends(path)), None)
            self._known[key] = _State(key, 0 if rule is None else self._token_types[rule])
        return self._known[key]

    def _ends(self, path: _Path) -> bool:
        return not path.returns and isinstance(self._atn.states[path.state], RuleStopState)


def _along(path: _Path, edge: Transition) -> _Path:
    returns = path.returns
    if edge.serializationType == Transition.RULE:
        returns = (*returns, edge.followState.stateNumber)
    lazy = path.past_lazy_loop or getattr(edge.target, "nonGreedy", False)
    return _Path(edge.target.stateNumber, returns, path.rule, lazy)
