"""String literals sent as parameters, so that queries that differ only in them share one plan."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from retrocypher.kg.cypher.edits import Edit, apply_edits, literal_value
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.cypher.tokens import Node, Token, TokenKind, tokens

_PATTERNS = (Rule.NODE_PATTERN, Rule.RELATIONSHIP_PATTERN)
_COMPARISONS = ("EQ", "NEQ")


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

    Args:
        places: What `parameter_places` returned for a query of the same shape; None to parse this one.
    """
    if places is None:
        places = parameter_places(text)
    if not places:
        return Parameterised(text, {})
    found = tokens(text)
    prefix = _free_prefix(text)
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
    escapes, which spares the parsing of all but the first.
    """
    if "\\u" in text or ("'" not in text and '"' not in text):
        return ()
    parsed = parse(text)
    if parsed.errors or any(token.name == "USE" for token in parsed.tokens):
        return ()
    starts = {token.start for token in _replaceable(parsed)}
    return tuple(place for place, token in enumerate(parsed.tokens) if token.start in starts)


def _free_prefix(text: str) -> str:
    prefix = "__p"
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
    """Whether it stands before IN."""
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
