"""Names as they are written in a query."""

from kg.cypher._escapes import unescape
from kg.cypher._parse import ParsedQuery
from kg.cypher._rules import Rule
from kg.cypher._tree import Node

_LABELS = (Rule.LABEL_EXPRESSION, Rule.INSERT_NODE_LABELS, Rule.INSERT_RELATIONSHIP_LABELS)


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
