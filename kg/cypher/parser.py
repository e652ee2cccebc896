"""The parser of the server's grammar.

The fast way decides by one token, or by SLL prediction, and gives up at the first error; `Recovery` then
reads the text as far as it can.

A text over a budget is not parsed: too long, too many tokens, nested too deeply, or one for which prediction
has to look too far ahead. The budgets are counts, so the result is the same on every machine.
"""

import math
import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from antlr4.atn.ATN import ATN
from antlr4.atn.ParserATNSimulator import ParserATNSimulator
from antlr4.atn.PredictionMode import PredictionMode
from antlr4.atn.Transition import Transition
from antlr4.dfa.DFA import DFA
from antlr4.error.Errors import RecognitionException
from antlr4.PredictionContext import PredictionContextCache
from antlr4.RuleContext import RuleContext

from retrocypher.kg.cypher.grammar import RecognizerTables, Rule, deserialize, load_tables
from retrocypher.kg.cypher.recovery import DECISION, RULE, STOP, TOKEN, Lookahead, Recovery, SyntaxIssue
from retrocypher.kg.cypher.tokens import (
    LONGEST_TEXT,
    Node,
    Token,
    TokenKind,
    TokenReader,
    token_reader,
    unescape,
)
from retrocypher.kg.errors import GraphError

_END = -1

_WORDS = (TokenKind.KEYWORD, TokenKind.IDENTIFIER)

_DIGITS = r"\d(?:_?\d)*"
_DECIMAL = re.compile(r"0|[1-9](?:_?\d)*", re.ASCII)
_BASED = re.compile(r"0x(?:_?[0-9a-fA-F])+|0o(?:_?[0-7])+")
_DOUBLE = re.compile(rf"(?:{_DIGITS}(?:\.{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?[fFdD]?", re.ASCII)
_LARGEST = 2**63 - 1
_LONGEST = 400

MOST_TOKENS = 5_000
"""Tokens of a query that is parsed. A completion of 4,000 tokens of a model holds fewer of Cypher."""

DEEPEST = 30
"""Levels of brackets, and of CASE, of a query that is parsed; people and models stay below ten."""

_FARTHEST = 500_000
"""Tokens that prediction may look at for one query: a hundred for each that there may be."""

_KEPT = 4
"""Trees that are remembered: one query is looked at several times on its way."""

_OPENING = frozenset({"LPAREN", "LBRACKET", "LCURLY", "CASE"})
_CLOSING = frozenset({"RPAREN", "RBRACKET", "RCURLY", "END"})

_UNSUPPORTED = frozenset({Transition.PREDICATE, Transition.PRECEDENCE, Transition.ACTION})


class _TooFar(Exception):  # noqa: N818 - a signal, not an error
    """Prediction has looked at as many tokens as it may."""


class _TokenTypes:
    """What ANTLR's prediction asks of a token stream, on a list of token types."""

    def __init__(self, types: list[int]) -> None:
        self._types = types
        self._left = _FARTHEST
        self.index = 0

    def LA(self, ahead: int) -> int:  # noqa: N802
        return self._types[self.index + ahead - 1]

    def LT(self, ahead: int) -> int:  # noqa: N802
        return self.LA(ahead)

    def get(self, index: int) -> int:
        return self._types[index]

    def consume(self) -> None:
        self.index += 1
        self._left -= 1
        if self._left < 0:
            raise _TooFar

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
        """Return the tree of a query, or None where it does not follow the grammar; raise _TooFar."""
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


def prefix_length(tokens: Sequence[Token]) -> int:
    """How many leading tokens are ``EXPLAIN``, ``PROFILE`` or ``CYPHER [version] [option = value …]``."""
    position = 0
    while position < len(tokens):
        word = unescape(tokens[position].text).text.upper()
        if word in ("EXPLAIN", "PROFILE"):
            position += 1
        elif word == "CYPHER":
            position = _after_options(tokens, position + 1)
        else:
            break
    return position


def _after_options(tokens: Sequence[Token], position: int) -> int:
    if position < len(tokens) and tokens[position].kind is TokenKind.NUMBER:
        position += 1
    while (
        position + 2 < len(tokens)
        and tokens[position].kind in _WORDS
        and tokens[position + 1].name == "EQ"
        and tokens[position + 2].kind in (*_WORDS, TokenKind.NUMBER)
    ):
        position += 3
    return position


def number_value(text: str) -> int | float | None:
    """Return the value of a number; None where the server refuses it as no number or as too large.

    Integers have 64 bits. The largest of them plus one is returned too, since with a minus before it the
    server takes it.
    """
    if len(text) > _LONGEST:
        return None
    if _DECIMAL.fullmatch(text) or _BASED.fullmatch(text):
        value = int(text.replace("_", ""), 0)
        return value if value <= _LARGEST + 1 else None
    if any(mark in text for mark in ".eE") and _DOUBLE.fullmatch(text):
        double = float(text.replace("_", "").rstrip("fFdD"))
        return double if math.isfinite(double) else None
    return None


def number_issues(tokens: Sequence[Token]) -> Iterator[SyntaxIssue]:
    """Find the numbers that the server refuses."""
    before = None
    for token in tokens:
        if token.kind is TokenKind.NUMBER:
            value = number_value(token.text)
            # The double 2^63 is a number.
            too_large = isinstance(value, int) and value > _LARGEST and before != "MINUS"
            if value is None or too_large:
                shown = token.text if len(token.text) <= 40 else f"{token.text[:40]}…"
                yield SyntaxIssue(token.start, f"`{shown}` is no number, or too large a one")
        before = token.name


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query and its tree, partial where there are errors.

    ``tokens`` includes those of the prefix (``EXPLAIN``, ``PROFILE``, ``CYPHER …``), which is not part of the
    grammar and stands outside the tree. ``errors`` is empty for a query the server's parser accepts.
    ``unread`` says over which budget a query is that was not parsed. It has an empty tree then, and one error
    that stands for no fault of the query: whether it is one is not known.
    """

    text: str
    root: Node
    tokens: tuple[Token, ...]
    errors: tuple[SyntaxIssue, ...]
    unread: str | None = None

    def source(self, part: Node | Token) -> str:
        """The text of a node or token."""
        return self.text[part.start : part.stop]


class Grammar:
    """The server's lexer and parser; GraphError if the tables are of another kind or lack a rule used here.

    Safe to use from several threads: parsing is done by one at a time, since the automata grow with use.
    """

    def __init__(self, tables: RecognizerTables, reader: TokenReader) -> None:
        missing = sorted(set(Rule) - set(tables.rules))
        if missing:
            raise GraphError(f"The Cypher grammar has no rule {', '.join(missing)}: another version?")
        atn = deserialize(tables.atn)
        edges = (edge for state in atn.states if state is not None for edge in state.transitions)
        if any(edge.serializationType in _UNSUPPORTED for edge in edges) or any(
            state.isPrecedenceRule for state in atn.ruleToStartState
        ):
            raise GraphError("The Cypher grammar uses predicates or left recursion, which are not supported.")
        start = tables.rules.index(Rule.STATEMENTS)
        self._reader = reader
        self._walker = Walker(atn, tables.rules, start)
        self._recovery = Recovery(atn, tables, start)
        self._lock = threading.Lock()
        self._top = tables.rules[start]
        self.parse = lru_cache(maxsize=_KEPT)(self._parse)

    def _parse(self, text: str) -> ParsedQuery:
        tokens, types = self._reader.read(text)
        over = _over_budget(text, tokens)
        if over is not None:
            return self._unread(text, tokens, over)
        prefix = prefix_length(tokens)
        body, body_types = list(tokens[prefix:]), list(types[prefix:])
        broken = unescape(text).broken
        issues = [SyntaxIssue(offset, r"\u needs four hexadecimal digits") for offset in broken]
        with self._lock:
            try:
                root = self._walker.walk(body, body_types, len(text))
            except _TooFar:
                return self._unread(text, tokens, "it cannot be parsed without looking very far ahead")
            if root is None:
                root, found = self._recovery.parse(body, body_types, len(text))
                issues += found
        issues += number_issues(body)
        return ParsedQuery(text, root, tokens, tuple(sorted(issues)))

    def _unread(self, text: str, tokens: tuple[Token, ...], why: str) -> ParsedQuery:
        issue = SyntaxIssue(0, f"not parsed: {why}")
        return ParsedQuery(text, Node(self._top, 0, None), tokens, (issue,), why)


def _over_budget(text: str, tokens: Sequence[Token]) -> str | None:
    """Return in what a query is over a budget, None where it is not."""
    if len(text) > LONGEST_TEXT:
        return f"it has more than {LONGEST_TEXT:,} characters"
    if len(tokens) > MOST_TOKENS:
        return f"it has more than {MOST_TOKENS:,} tokens"
    depth, before = 0, ""
    for token in tokens:
        if token.name in _OPENING and before != "DOT":  # a property may be called case
            depth += 1
            if depth > DEEPEST:
                return f"it is nested more than {DEEPEST} levels deep"
        elif token.name in _CLOSING:
            depth = max(depth - 1, 0)
        before = token.name
    return None


@cache
def grammar() -> Grammar:
    """Return the server's grammar, read at the first call (some 60 ms)."""
    return Grammar(load_tables().parser, token_reader())


def parse(text: str) -> ParsedQuery:
    """Parse a query as the server's parser does.

    Says nothing of meaning: undefined variables, unknown functions and wrong types are found by ``EXPLAIN``.
    A broken query gives ``errors`` and as much of the tree as can be read; one over a budget gives an empty
    tree and ``unread``. Do not change the tree: it is remembered. Walk it with
    ``Node.find_all``; rewrite the text with ``relationship_patterns``, ``clauses`` and ``apply_edits``::

        parsed = parse("MATCH (m)-[:REACTS_IN]->(r) RETURN r.id AS id")
        pattern = relationship_patterns(parsed)[0]
        apply_edits(parsed.text, reverse(pattern))
        # MATCH (m)<-[:REACTS_IN]-(r) RETURN r.id AS id
    """
    return grammar().parse(text)
