"""Parse a query with the server's own grammar."""

import threading
from dataclasses import dataclass
from functools import cache

from kg.cypher._escapes import unescape
from kg.cypher._numbers import number_issues
from kg.cypher._prefix import prefix_length
from kg.cypher._recovery import Recovery, SyntaxIssue
from kg.cypher._rules import Rule
from kg.cypher._runtime import Transition, deserialize
from kg.cypher._tables import RecognizerTables, load_tables
from kg.cypher._tokens import Token, TokenReader, token_reader
from kg.cypher._tree import Node
from kg.cypher._walk import Walker
from kg.errors import GraphError

_UNSUPPORTED = frozenset({Transition.PREDICATE, Transition.PRECEDENCE, Transition.ACTION})


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query and its tree.

    Attributes:
        text: The query as given.
        root: The tree; where there are errors, what could be read.
        tokens: All tokens, those of the prefix included.
        errors: Where the text leaves the grammar; empty for a query the server's parser accepts.
        prefix_tokens: How many tokens at the beginning (``EXPLAIN``, ``PROFILE``, ``CYPHER …``) stand outside
            the tree, since they are not part of the grammar.
    """

    text: str
    root: Node
    tokens: tuple[Token, ...]
    errors: tuple[SyntaxIssue, ...]
    prefix_tokens: int

    def source(self, part: Node | Token) -> str:
        """The text of a node or token."""
        return self.text[part.start : part.stop]


class Grammar:
    """The server's lexer and parser.

    Safe to use from several threads: parsing is done by one at a time, since the automata grow with use.

    Args:
        tables: The tables of a parser without predicates, actions or left recursion.
        reader: The lexer that belongs to it.

    Raises:
        GraphError: The tables are of another kind, or lack a rule that the project looks up.
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

    def parse(self, text: str) -> ParsedQuery:
        """Parse a query; see ``parse``."""
        tokens, types = self._reader.read(text)
        prefix = prefix_length(tokens)
        body, body_types = list(tokens[prefix:]), list(types[prefix:])
        broken = unescape(text).broken
        issues = [SyntaxIssue(offset, r"\u needs four hexadecimal digits") for offset in broken]
        with self._lock:
            root = self._walker.walk(body, body_types, len(text))
            if root is None:
                root, found = self._recovery.parse(body, body_types, len(text))
                issues += found
        issues += number_issues(body)
        return ParsedQuery(text, root, tokens, tuple(sorted(issues)), prefix)


@cache
def grammar() -> Grammar:
    """Return the server's grammar, read at the first call (some 60 ms).

    Raises:
        GraphError: The grammar can't be had.
    """
    return Grammar(load_tables().parser, token_reader())


def parse(text: str) -> ParsedQuery:
    """Parse a query as the server's parser does.

    Says nothing of meaning: undefined variables, unknown functions and wrong types are found by ``EXPLAIN``.
    A broken query gives ``errors`` and as much of the tree as can be read. Walk the tree with
    ``Node.find_all``; rewrite the text with ``relationship_patterns``, ``clauses`` and ``apply_edits``::

        parsed = parse("MATCH (m)-[:REACTS_IN]->(r) RETURN r.id AS id")
        pattern = relationship_patterns(parsed)[0]
        apply_edits(parsed.text, reverse(pattern))
        # MATCH (m)<-[:REACTS_IN]-(r) RETURN r.id AS id

    Args:
        text: Any text.

    Raises:
        GraphError: The grammar can't be had (see ``docs/cypher-text.md``).
    """
    return grammar().parse(text)
