"""Edits of a query by offset: names, string literals and parameters, and where two queries differ."""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.cypher.tokens import Node, Token, TokenKind, tokens, unescape

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_QUOTED_WORDS = frozenset({"NOT", "NULL", "TYPED", "NORMALIZED", "NFC", "NFD", "NFKC", "NFKD"})
"""Words that the grammar does not take for labels or types."""

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

_PATTERNS = (Rule.NODE_PATTERN, Rule.RELATIONSHIP_PATTERN)
_COMPARISONS = ("EQ", "NEQ")


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
    """Return the text with all edits made; raise ValueError if two overlap or one lies outside the text.

    All offsets refer to the text as given. Insertions at one place come out in the order given.
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


def quote(value: str) -> str:
    r"""Return a Cypher string literal, in single quotes, that stands for exactly this string.

    Backslashes are doubled, so a SMILES such as ``F/C=C\F`` and even the characters ``\u0041`` reach the
    server as they are. Half a surrogate pair, which no encoded query can hold, is written as an escape.
    """
    return f"'{_ENCODED.sub(_encoded, value)}'"


def quote_name(name: str) -> str:
    """Return a label, type or property name, in backticks where Cypher needs them."""
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in _QUOTED_WORDS:
        return name
    # The server decodes \\uXXXX before it reads anything else, so a backslash is written that way.
    return "`" + name.replace("`", "``").replace("\\", "\\u005C") + "`"


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


class Parameterised(NamedTuple):
    """A query whose literals are partly parameters, and the values of those parameters by name (no ``$``)."""

    text: str
    parameters: dict[str, str]


def parameterise(text: str, places: Sequence[int] | None = None) -> Parameterised:
    r"""Replace string literals by parameters where the rows and columns of the result stay the same.

    Replaced are, within MATCH and OPTIONAL MATCH only, literals that are the value of a key in the property
    map of a node or relationship, that stand on one side of ``=`` or ``<>``, or that are tested by ``IN`` or
    listed after it. All else stays:

    - RETURN, WITH and ORDER BY, where the text of an expression names a column or a group;
    - ``STARTS WITH``, ``ENDS WITH``, ``CONTAINS`` and ``=~``, where the planner looks at the literal (its
      length makes an estimate, a broken pattern an early error);
    - arguments, LOAD CSV, CREATE and MERGE, UNWIND, dynamic labels, and any query with USE;
    - a text that does not parse, or that holds ``\uXXXX`` escapes: where there are some, the server cuts the
      names of columns out of the text at shifted places.

    The names are ``__p0``, ``__p1``… in the order of the text, with more underscores where the query holds
    such a name. An error that the server reports for the new text has other offsets than for the old.
    ``places`` is what `parameter_places` returned for a query of the same shape; None parses this one.
    """
    if places is None:
        places = parameter_places(text)
    if not places:
        return Parameterised(text, {})
    found = tokens(text)
    prefix = free_prefix(text, "__p")
    edits: list[Edit] = []
    parameters: dict[str, str] = {}
    for place in places:
        name = f"{prefix}{len(parameters)}"
        parameters[name] = literal_value(found[place])
        edits.append(Edit(found[place].start, found[place].stop, f"${name}"))
    return Parameterised(apply_edits(text, edits), parameters)


def parameter_places(text: str) -> tuple[int, ...]:
    r"""Return which tokens of a query `parameterise` replaces, as positions in ``tokens(text)``.

    They follow from the tree and so are the same for all queries of one shape (see `shape`) without ``\u``
    escapes, so only the first needs to be parsed.
    """
    if "\\u" in text or ("'" not in text and '"' not in text):
        return ()
    parsed = parse(text)
    if parsed.errors or any(token.name == "USE" for token in parsed.tokens):
        return ()
    starts = {token.start for token in _replaceable(parsed)}
    return tuple(place for place, token in enumerate(parsed.tokens) if token.start in starts)


def free_prefix(text: str, prefix: str) -> str:
    """Return a prefix for names that no name in a text begins with: the given one, with more underscores."""
    while prefix in text:
        prefix = f"_{prefix}"
    return prefix


def _replaceable(parsed: ParsedQuery) -> Iterator[Token]:
    for literal in parsed.root.find_all(Rule.STRING_LITERAL):
        around = literal.within(Rule.MATCH_CLAUSE, Rule.RETURN_BODY)
        if around is None or around.rule != Rule.MATCH_CLAUSE:
            continue
        whole, holder = _whole(literal)
        if holder is not None and (
            _is_property(holder) or _is_compared(holder) or _is_tested(whole, holder) or _is_listed(holder)
        ):
            yield next(literal.tokens())


def _whole(node: Node) -> tuple[Node, Node | None]:
    """The largest node that is nothing but this one, and the node that holds it beside other parts."""
    while node.parent is not None and len(node.parent.children) == 1:
        node = node.parent
    return node, node.parent


def _is_property(holder: Node) -> bool:
    properties = holder.parent
    return (
        holder.rule == Rule.MAP
        and properties is not None
        and properties.rule == Rule.PROPERTIES
        and properties.parent is not None
        and properties.parent.rule in _PATTERNS
    )


def _is_compared(holder: Node) -> bool:
    operators = [part.name for part in holder.children if isinstance(part, Token)]
    return holder.rule == Rule.COMPARISON and all(operator in _COMPARISONS for operator in operators)


def _is_tested(whole: Node, holder: Node) -> bool:
    test = holder.node(Rule.PREDICATE)
    return whole.rule == Rule.ADDITION and test is not None and test.token("IN") is not None


def _is_listed(holder: Node) -> bool:
    """Whether it is an element of a list that stands after IN."""
    if holder.rule != Rule.LIST_LITERAL:
        return False
    _, test = _whole(holder)
    return test is not None and test.rule == Rule.PREDICATE and test.token("IN") is not None


def shape(text: str) -> str:
    """Return the tokens of a query with its string literals blanked, as a key.

    Queries of one shape differ in nothing but the content of string literals, white space and comments, so
    they plan to the same kinds of operators: the server itself takes literals out before it plans. Numbers
    stay, since path lengths and limits decide what is planned. Literals also stay in a text with the word
    ``USE``, where a string may name the graph that the query goes to.

    Only what operators a plan has is the same for a shape, not whether a query compiles: an empty string as a
    dynamic label is an error where another is none.
    """
    found = tokens(text)
    keep = any(token.name == "USE" for token in found)
    return " ".join("''" if token.kind is TokenKind.STRING and not keep else token.text for token in found)
