"""The tokens and tree nodes of a query, and the lexer, which walks the grammar's own lexer network.

The lexer does what ANTLR's ``LexerATNSimulator`` does: the longest match wins, then the rule that comes
first, and a non-greedy loop ends at its first chance. The automaton is built state by state as text asks for
it, with one dictionary look-up a character; the Python runtime's simulator takes some fifty times longer.

What reads the grammar, here and in the other modules, raises GraphError where it cannot be had.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from enum import StrEnum
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from antlr4.atn.ATN import ATN
from antlr4.atn.ATNState import ATNState, RuleStopState
from antlr4.atn.Transition import Transition

from retrocypher.kg.cypher.grammar import RecognizerTables, deserialize, load_tables, token_intervals
from retrocypher.kg.errors import GraphError

_UNSUPPORTED = frozenset({Transition.PREDICATE, Transition.PRECEDENCE})
_LAST = 0x10FFFF

_LAST_KEPT = "\u04ff"
"""Edges of later characters are kept by what the grammar tells apart, so that no script fills the memory."""

LONGEST_TEXT = 200_000
"""Characters of a text that are read; the server gets no longer query."""

_OVERRUN = 16
"""Characters read beyond a token, from which on it is noted that nothing ends there."""

# A backslash and what follows it, so that an escaped backslash does not begin an escape.
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|.)", re.DOTALL)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")

_HIDDEN = ("SPACE", "SINGLE_LINE_COMMENT", "MULTI_LINE_COMMENT")


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
        self.edges: dict[str | int, _State | None] = {}


class Lexer:
    """Splits text into token types and end offsets; GraphError for tables of a lexer that it cannot run."""

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
        """Return (token type, end offset) of every token, hidden ones too; type 0 where no rule fits.

        Time grows with the length alone: a place from which no token ends is read once.
        """
        found: list[tuple[int, int]] = []
        dead: dict[_State, bytearray] = {}
        start, step, size = self._start, self._step, len(text)
        position = 0
        while position < size:
            state, begin = start, position
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
                elif dead and state in dead and dead[state][position]:
                    break
            if position - end > _OVERRUN:
                self._mark(text, begin, end, position, dead)
            found.append((token, end))
            position = end
        return found

    def _mark(self, text: str, begin: int, end: int, stop: int, dead: dict[_State, bytearray]) -> None:
        """Note the states in which the text after a token was read in vain, each with its places."""
        state = self._start
        for position in range(begin, stop):
            following = self._step(state, text[position])
            assert following is not None
            state = following
            if position >= end:
                dead.setdefault(state, bytearray(len(text) + 1))[position + 1] = 1

    @cached_property
    def _borders(self) -> list[int]:
        """The characters at which the grammar begins to treat characters otherwise, in order."""
        states = (state for state in self._atn.states if state is not None)
        edges = (edge for state in states for edge in state.transitions if not edge.isEpsilon)
        ranges = (taken for edge in edges for taken in token_intervals(edge, _LAST, 0))
        return sorted({border for taken in ranges for border in (taken.start, taken.stop)})

    def _step(self, state: _State, character: str) -> _State | None:
        code = ord(character)
        key = character if character <= _LAST_KEPT else bisect_right(self._borders, code)
        if key not in state.edges:
            state.edges[key] = self._work_out(state, code)
        return state.edges[key]

    def _work_out(self, state: _State, code: int) -> _State | None:
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
        return self._state(reached) if reached else None

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


class Unescaped(NamedTuple):
    """Text without its escapes.

    ``offsets`` holds for each character, and for the end, the offset it had in the query; it is None where
    nothing was replaced. ``broken`` holds the offsets of escapes without four hexadecimal digits.
    """

    text: str
    offsets: list[int] | None
    broken: list[int]


def unescape(text: str) -> Unescaped:
    r"""Replace every ``\uXXXX`` as the server does before it reads a query."""
    if "\\u" not in text:
        return Unescaped(text, None, [])
    characters: list[str] = []
    offsets: list[int] = []
    broken: list[int] = []
    position = 0
    for match in _ESCAPE.finditer(text):
        characters += text[position : match.start()]
        offsets += range(position, match.start())
        position = match.end()
        digits = match.group(1)
        if digits:
            _append(chr(int(digits, 16)), match.start(), characters, offsets)
        else:
            if match.group() == "\\u":
                broken.append(match.start())
            characters += match.group()
            offsets += range(match.start(), match.end())
    characters += text[position:]
    offsets += range(position, len(text) + 1)
    return Unescaped("".join(characters), offsets, broken)


def _append(character: str, offset: int, characters: list[str], offsets: list[int]) -> None:
    """Add a character; the second half of a surrogate pair joins the first."""
    if characters and _PAIR.fullmatch(characters[-1] + character):
        pair = (characters[-1] + character).encode("utf-16", "surrogatepass")
        characters[-1] = pair.decode("utf-16")
    else:
        characters.append(character)
        offsets.append(offset)


class TokenKind(StrEnum):
    """What a token is. A keyword may serve as a name, as ``yield`` does in ``p.yield``."""

    KEYWORD = "keyword"
    IDENTIFIER = "identifier"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    ERROR = "error"


class Token(NamedTuple):
    """One token of a query; ``name`` is the grammar's, such as ``MATCH``, ``LPAREN``, ``IDENTIFIER``."""

    kind: TokenKind
    text: str
    start: int
    stop: int
    name: str


_KINDS = {
    "DECIMAL_DOUBLE": TokenKind.NUMBER,
    "UNSIGNED_DECIMAL_INTEGER": TokenKind.NUMBER,
    "UNSIGNED_HEX_INTEGER": TokenKind.NUMBER,
    "UNSIGNED_OCTAL_INTEGER": TokenKind.NUMBER,
    "STRING_LITERAL1": TokenKind.STRING,
    "STRING_LITERAL2": TokenKind.STRING,
    "ESCAPED_SYMBOLIC_NAME": TokenKind.IDENTIFIER,
    "IDENTIFIER": TokenKind.IDENTIFIER,
    "ARROW_LINE": TokenKind.SYMBOL,
    "ARROW_LEFT_HEAD": TokenKind.SYMBOL,
    "ARROW_RIGHT_HEAD": TokenKind.SYMBOL,
    "ErrorChar": TokenKind.ERROR,
}


class TokenReader:
    """The lexer with the names and kinds of its token types.

    ``read`` returns the tokens of a query and their grammar types, without space and comments. It remembers
    the latest: one query is looked at several times on its way, by guard, parser, scores and labels.
    """

    def __init__(self, tables: RecognizerTables) -> None:
        symbols = [symbol or "" for symbol in tables.symbols]
        literals = [*tables.literals, *[None] * (len(symbols) - len(tables.literals))]
        missing = sorted({*_KINDS, *_HIDDEN} - set(symbols))
        if missing:
            raise GraphError(f"The Cypher grammar has no token {', '.join(missing)}: another version?")
        self.lexer = Lexer(tables)
        self.names = symbols
        self.kinds: list[TokenKind | None] = [
            None if name in _HIDDEN else _KINDS.get(name, TokenKind.SYMBOL if literal else TokenKind.KEYWORD)
            for name, literal in zip(symbols, literals, strict=True)
        ]
        self.kinds[0] = TokenKind.ERROR
        self.read = lru_cache(maxsize=4)(self._read)

    def _read(self, text: str) -> tuple[tuple[Token, ...], tuple[int, ...]]:
        unescaped = unescape(text[:LONGEST_TEXT])
        found: list[Token] = []
        types: list[int] = []
        kinds, names, offsets = self.kinds, self.names, unescaped.offsets
        start = 0
        for token_type, stop in self.lexer.scan(unescaped.text):
            kind = kinds[token_type]
            if kind is not None:
                first, last = (start, stop) if offsets is None else (offsets[start], offsets[stop])
                found.append(Token(kind, text[first:last], first, last, names[token_type]))
                types.append(token_type)
            start = stop
        return tuple(found), tuple(types)


@cache
def token_reader() -> TokenReader:
    """Return the reader of the server's tokens."""
    return TokenReader(load_tables().lexer)


def tokens(text: str) -> list[Token]:
    r"""Return the tokens of a query in order, without space and comments; never fails on broken text.

    A string literal is one token, quotes included. What no rule of the grammar takes (a quote that is never
    closed, a stray character) is one token of kind ``error`` a character. Offsets count characters of the
    text as given, also where it holds ``\uXXXX`` escapes. Of a text longer than `LONGEST_TEXT`, the tokens of
    its beginning are returned.
    """
    return list(token_reader().read(text)[0])


class Node:
    """What one rule of the server's grammar matched; rules that matched nothing are left out.

    ``rule`` is the grammar's name (`Rule` has those the project looks up). Children are nodes and tokens in
    the order of the text.
    """

    __slots__ = ("children", "parent", "rule", "start", "stop")

    def __init__(self, rule: str, start: int, parent: Node | None) -> None:
        self.rule = rule
        self.start = start
        self.stop = start
        self.children: list[Node | Token] = []
        self.parent = parent

    def __repr__(self) -> str:
        return f"Node({self.rule!r}, {self.start}, {self.stop})"

    def nodes(self, rule: str | None = None) -> list[Node]:
        """The children that are nodes, of one rule where it is named."""
        return [node for node in self.children if isinstance(node, Node) and rule in (None, node.rule)]

    def node(self, rule: str) -> Node | None:
        """The first child of a rule."""
        return next(iter(self.nodes(rule)), None)

    def token(self, name: str) -> Token | None:
        """The first token of a type, by the grammar's name of it, among the children."""
        return next((part for part in self.children if isinstance(part, Token) and part.name == name), None)

    def walk(self) -> Iterator[Node]:
        """This node and all below it, each before its children, in the order of the text."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += [child for child in node.children[::-1] if isinstance(child, Node)]

    def find_all(self, *rules: str) -> Iterator[Node]:
        """The nodes of any of these rules here and below, in the order of the text."""
        wanted = frozenset(map(str, rules))
        return (node for node in self.walk() if node.rule in wanted)

    def find(self, *rules: str) -> Node | None:
        """The first node of any of these rules here or below."""
        return next(self.find_all(*rules), None)

    def tokens(self) -> Iterator[Token]:
        """All tokens here and below, in the order of the text."""
        waiting: list[Node | Token] = [self]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Token):
                yield part
            else:
                waiting.extend(reversed(part.children))

    def ancestors(self) -> Iterator[Node]:
        """The nodes that hold this one, the nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def within(self, *rules: str) -> Node | None:
        """The nearest ancestor of any of these rules."""
        return next((node for node in self.ancestors() if node.rule in rules), None)
