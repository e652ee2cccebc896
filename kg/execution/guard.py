"""What a query may do, as ``guard_rules.yaml`` says: checks of its plan and of its tokens.

The plan is the server's own reading of the text, so comments, escapes and spelling do not matter there. But
a subquery inside a comprehension, ``reduce`` or ``CASE`` is planned as part of the expression: its LOAD CSV
or procedure call is no operator of the plan that ``EXPLAIN`` returns. So the tokens, cut by the server's own
lexer, are checked as well.

A text of nothing but reading clauses, in plain characters, needs no plan: `only_reads` is stricter than both
checks.

A text that the server does not accept has no plan. If it holds a writing clause, that is reported before the
server's message, so that nobody repairs the syntax of a write.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import msgspec
import yaml

from retrocypher.kg.cypher.clauses import WRITING, Clause, clauses, writing_clauses
from retrocypher.kg.cypher.edits import Edit, apply_edits
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import number_value, parse
from retrocypher.kg.cypher.tokens import Node, Token, TokenKind

_LONGEST_PARSED = 4_000
_LONGEST_PLAIN = 1_000
"""No parse of so short a text takes more than a second, however deeply it is nested."""

_PLAIN = re.compile(r"(?!.*(?://|/\*))[\n\t -\[\]-_a-~]+", re.DOTALL)
"""ASCII without backslash, back-tick and comments: nothing that two lexers could cut at different places."""

_NAMES = (TokenKind.IDENTIFIER, TokenKind.KEYWORD)


@dataclass(frozen=True, slots=True)
class GuardRules:
    """The longest text, reading clauses, operators that refuse, and the procedures and functions to call."""

    longest_text: int
    reading_clauses: frozenset[str]
    denied_operators: tuple[str, ...]
    procedures: frozenset[str]
    functions: frozenset[str]

    def denies(self, operator: str) -> bool:
        """Whether an operator of a plan refuses the query."""
        return any(fnmatchcase(operator, pattern) for pattern in self.denied_operators)


@cache
def guard_rules() -> GuardRules:
    """Return the shipped rules."""
    rules = yaml.safe_load(Path(__file__).with_name("guard_rules.yaml").read_text())
    return msgspec.convert(rules, GuardRules)


def refusal_by_plan(
    query_type: str | None, operators: list[tuple[str, str]], rules: GuardRules
) -> str | None:
    """Return why a planned query (of type ``r``, ``rw``, ``w`` or ``s``) must not run, None where it may."""
    for name, details in operators:
        if name == "ProcedureCall":
            procedure = details.partition("(")[0].strip().lower()
            if procedure not in rules.procedures:
                return f"It calls the procedure {procedure}, which is not one that only reads the schema."
        elif rules.denies(name):
            return f"Its plan holds {name}; only reading the graph is allowed."
    if query_type != "r":
        return f"The server plans it as a query of type {query_type}; only reads (type r) are allowed."
    return None if operators else "The server gave no plan to check."


def refusal_by_tokens(found: Sequence[Token], rules: GuardRules) -> str | None:
    """Return why an accepted query must not run, None where it may.

    Refused are LOAD CSV anywhere, procedures and functions with a dotted name that the rules do not list.
    """
    position = 0
    while position < len(found):
        if found[position].name == "LOAD" and _name_at(found, position + 1) == "CSV":
            return "It reads a file or an address with LOAD CSV; only reading the graph is allowed."
        name, stop = _dotted(found, position)
        if name:
            reason = _refused_name(name, found, position, stop, rules)
            if reason:
                return reason
        position = max(stop, position + 1)
    return None


def only_reads(text: str, rules: GuardRules) -> bool:
    """Return whether a query may run without a look at its plan.

    It is short and plain, the grammar accepts it, its clauses at any depth are reading ones, and its tokens
    refuse nothing. The server has no operator that refuses a query to plan for such a text: each needs a
    clause or command of its own. False says nothing against a query.
    """
    if len(text) > _LONGEST_PLAIN or not _PLAIN.fullmatch(text):
        return False
    parsed = parse(text)
    found = clauses(parsed)
    return (
        not parsed.errors
        # No prefix (EXPLAIN, PROFILE, CYPHER), no command and no second statement.
        and len(statements := parsed.root.nodes("statement")) == 1
        and statements[0].start == parsed.tokens[0].start
        and statements[0].node(Rule.REGULAR_QUERY) is not None
        and all(clause.kind in rules.reading_clauses or _is_plain_subquery(clause) for clause in found)
        and refusal_by_tokens(parsed.tokens, rules) is None
    )


def _is_plain_subquery(clause: Clause) -> bool:
    """Whether a clause is ``CALL { ... }`` in the query's own transaction; those inside are clauses, too."""
    called = clause.node.node(Rule.SUBQUERY_CLAUSE)
    return called is not None and called.node(Rule.SUBQUERY_IN_TRANSACTIONS) is None


def _refused_name(name: str, found: Sequence[Token], start: int, stop: int, rules: GuardRules) -> str | None:
    called = _name_at(found, stop) == "LPAREN"
    if start and found[start - 1].name == "CALL":
        if name not in rules.procedures:
            return f"It calls the procedure {name}, which is not one that only reads the schema."
    elif called and name not in rules.functions:
        return f"It calls the function {name}, which is not part of Cypher."
    return None


def writing_in(text: str, found: Sequence[Token]) -> str | None:
    """Return why a well-formed statement that the server could not plan is refused as a write, or None."""
    if len(text) > _LONGEST_PARSED or not any(token.name in WRITING for token in found):
        return None
    parsed = parse(text)
    if parsed.errors or len(parsed.root.nodes("statement")) != 1:
        return None
    writing = writing_clauses(parsed)
    return f"It holds {writing[0].kind}; only reading the graph is allowed." if writing else None


def without_profile(text: str, found: Sequence[Token]) -> str:
    """Return a query with blanks for the word PROFILE in front, which would run it before its plan is known.

    Its rows are those of the query itself, and so are the positions in messages. Where the word is hidden
    too well it stays, and ``EXPLAIN`` refuses to stand before it.
    """
    for position, token in enumerate(found):
        if token.kind is TokenKind.KEYWORD:
            break
        value = position > 0 and found[position - 1].name == "EQ"
        if token.text.upper() == "PROFILE" and not value:
            return text[: token.start] + " " * (token.stop - token.start) + text[token.stop :]
    return text


def _name_at(found: Sequence[Token], position: int) -> str | None:
    return found[position].name if position < len(found) else None


def _dotted(found: Sequence[Token], start: int) -> tuple[str, int]:
    """The dotted name that begins at a token, in lower case without back-ticks, and where it ends."""
    parts: list[str] = []
    position = start
    while position < len(found) and found[position].kind in _NAMES:
        parts.append(found[position].text.strip("`").lower())
        position += 1
        if _name_at(found, position) != "DOT":
            break
        position += 1
    return (".".join(parts), position) if len(parts) > 1 else ("", start + 1)


def with_limit(text: str, rows: int) -> str:
    """Return a query that asks for no more than some rows, each part of a UNION for itself.

    A LIMIT is added where there is none and lowered where it is higher. A LIMIT that is an expression stays,
    and so does a text that does not parse: the row cap of the executor is there for both.
    """
    parsed = parse(text)
    if parsed.errors:
        return text
    last = (clause for clause in clauses(parsed) if clause.kind == "RETURN" and clause.depth == 0)
    return apply_edits(text, [edit for clause in last for edit in _edits(clause, rows)])


def _edits(clause: Clause, rows: int) -> Iterator[Edit]:
    body = next((found for child in clause.node.nodes() for found in child.nodes(Rule.RETURN_BODY)), None)
    limit = body.node(Rule.LIMIT) if body else None
    if limit is None:
        # On a line of its own: a comment may end the one before.
        yield Edit(clause.stop, clause.stop, f"\nLIMIT {rows}")
    elif _number(limit) > rows:
        expression = limit.nodes()[0]
        yield Edit(expression.start, expression.stop, str(rows))


def _number(limit: Node) -> int:
    """The number that a LIMIT names, 0 where it is not a plain one."""
    tokens = list(limit.tokens())
    value = number_value(tokens[1].text) if len(tokens) == 2 else None
    return value if isinstance(value, int) else 0
