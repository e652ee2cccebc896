"""Edits of a query by offset: names, string literals, masking, and where two queries differ."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node, Token, TokenKind, tokens, unescape

_LABELS = (Rule.LABEL_EXPRESSION, Rule.INSERT_NODE_LABELS, Rule.INSERT_RELATIONSHIP_LABELS)

_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", "'": "'", '"': '"', "\\": "\\"}
_DECODED = re.compile(r"\\(.)", re.DOTALL)
_ENCODED = re.compile("[\t\b\n\r\f'\\\\\ud800-\udfff]")
_NAMES = {character: name for name, character in _CHARACTERS.items()}

# The grammar has some 300 keywords, and most of them are names in most queries.
_WORD = re.compile(
    "MATCH|OPTIONAL|RETURN|WHERE|WITH|AS|DISTINCT|UNWIND|ORDER|BY|ASC|DESC|LIMIT|SKIP|UNION|ALL|AND|OR|XOR|NOT|IN|IS|"
    "NULL|CALL|CASE|WHEN|THEN|ELSE|END|EXISTS|STARTS|ENDS|CONTAINS|CREATE|MERGE|SET|DELETE|DETACH|REMOVE",
    re.IGNORECASE,
)


class Span(NamedTuple):
    """A stretch of a query, from a character offset up to another."""

    start: int
    stop: int


class Edit(NamedTuple):
    """Put ``replacement`` in place of the characters from ``start`` up to ``stop`` (equal: an insertion)."""

    start: int
    stop: int
    replacement: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits made; their offsets all refer to the text as given.

    Args:
        edits: Edits in any order that do not overlap. Insertions at one place come out in the order given.

    Raises:
        ValueError: Two edits overlap, or one lies outside the text.
    """
    parts: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        if not position <= edit.start <= edit.stop <= len(text):
            raise ValueError(f"{edit} overlaps another edit or lies outside the text")
        parts += (text[position : edit.start], edit.replacement)
        position = edit.stop
    return "".join([*parts, text[position:]])


def name_of(parsed: ParsedQuery, node: Node) -> str:
    """The name that a node spells, without backticks and escapes."""
    name = unescape(parsed.source(node)).text
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def variable_of(parsed: ParsedQuery, pattern: Node) -> str | None:
    """The variable that a node or relationship pattern binds."""
    variable = pattern.node(Rule.VARIABLE)
    return None if variable is None else name_of(parsed, variable)


def labels_of(parsed: ParsedQuery, pattern: Node) -> tuple[str, ...]:
    """All labels or types that a pattern's label expression names, negated ones too, in the order written."""
    return tuple(
        name_of(parsed, name)
        for rule in _LABELS
        for expression in pattern.nodes(rule)
        for name in expression.find_all(Rule.SYMBOLIC_NAME, Rule.SYMBOLIC_LABEL_NAME)
    )


class StringLiteral(NamedTuple):
    """A string literal of a query: the string it stands for, its characters with quotes, its place."""

    value: str
    raw: str
    start: int
    stop: int


class MaskedText(NamedTuple):
    """A query with placeholders for its string literals, and the literal that each placeholder stands for."""

    text: str
    literals: dict[str, str]


def quote(value: str) -> str:
    r"""Return a Cypher string literal, in single quotes, that stands for exactly this string.

    Backslashes are doubled, so a SMILES such as ``F/C=C\F`` and even the characters ``\u0041`` reach the
    server as they are. Half a surrogate pair, which no encoded query can hold, is written as an escape.
    """
    return f"'{_ENCODED.sub(_encoded, value)}'"


def string_literals(text: str) -> list[StringLiteral]:
    """Return the string literals of any text in order, decoded as the server decodes them.

    Quotes within comments, backticked names and other literals are not taken for literals.
    """
    return [
        StringLiteral(literal_value(token), token.text, token.start, token.stop)
        for token in tokens(text)
        if token.kind is TokenKind.STRING
    ]


def literal_value(token: Token) -> str:
    """The string that a string token stands for; an escape unknown to Cypher stays as it is written."""
    return _DECODED.sub(_decoded, unescape(token.text).text[1:-1])


def mask_literals(text: str) -> MaskedText:
    """Replace every string literal by a placeholder that is itself a string literal.

    What works on the masked text meets no SMILES, and ``unmask`` puts the literals back to the character,
    also after parts of the text have been moved, repeated or dropped.
    """
    found = string_literals(text)
    placeholders = [f"'__literal_{number}__'" for number in range(len(found))]
    edits = [Edit(at.start, at.stop, name) for at, name in zip(found, placeholders, strict=True)]
    return MaskedText(
        apply_edits(text, edits), {name: at.raw for name, at in zip(placeholders, found, strict=True)}
    )


def unmask(text: str, literals: Mapping[str, str]) -> str:
    """Put literals back in place of their placeholders; other text stays as it is."""
    return apply_edits(
        text,
        [
            Edit(literal.start, literal.stop, literals[literal.raw])
            for literal in string_literals(text)
            if literal.raw in literals
        ],
    )


def _decoded(match: re.Match[str]) -> str:
    return _CHARACTERS.get(match.group(1), match.group())


def _encoded(match: re.Match[str]) -> str:
    character = match.group()
    return f"\\{_NAMES[character]}" if character in _NAMES else f"\\u{ord(character):04x}"


def is_word(token: Token) -> bool:
    """Return whether a token is one of the words that queries are made of, whose case says nothing."""
    return token.kind is TokenKind.KEYWORD and _WORD.fullmatch(token.text) is not None


def differing(first: Sequence[Token], second: Sequence[Token]) -> tuple[set[int], set[int]]:
    """Return which tokens of each query the other does not have in their place, by number."""
    matcher = SequenceMatcher(None, [*map(_form, first)], [*map(_form, second)], autojunk=False)
    mine: set[int] = set()
    theirs: set[int] = set()
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            mine.update(range(a, b))
            theirs.update(range(c, d))
    return mine, theirs


def _form(token: Token) -> str:
    return token.text.upper() if is_word(token) else token.text
