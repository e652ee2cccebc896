"""The places where a query names its molecules."""

from typing import NamedTuple

from kg.cypher import Node, ParsedQuery, Rule
from prompts.models.mutations._structure import PROPERTY_NAME, WHERE_CLAUSE


class Anchor(NamedTuple):
    """A string that a property is compared with.

    Attributes:
        literal: The string literal.
        variable: The variable whose property it is; None in the map of a nameless node.
        name: Where the property's name stands.
        pattern: The node pattern whose property map holds it; None for a condition of a WHERE.
        condition: The condition that holds it, ``variable.name = '…'`` or ``… IN […]``; None for a map.
    """

    literal: Node
    variable: str | None
    name: Node
    pattern: Node | None
    condition: Node | None


def anchors(query: ParsedQuery) -> list[Anchor]:
    """Return the anchors of a query in the order of the text."""
    found = (_anchor(query, literal) for literal in query.root.find_all(Rule.STRING_LITERAL))
    return [anchor for anchor in found if anchor]


def _anchor(query: ParsedQuery, literal: Node) -> Anchor | None:
    properties = literal.within(Rule.PROPERTIES)
    pattern = properties.within(Rule.NODE_PATTERN) if properties else None
    if properties and pattern:
        names = [name for name in properties.find_all(PROPERTY_NAME) if name.stop <= literal.start]
        variable = pattern.node(Rule.VARIABLE)
        return Anchor(literal, query.source(variable) if variable else None, names[-1], pattern, None)
    condition = _comparison(literal)
    name = condition.find(PROPERTY_NAME) if condition else None
    variable = condition.find(Rule.VARIABLE) if condition else None
    if condition is None or name is None or variable is None:
        return None
    return Anchor(literal, query.source(variable), name, None, condition)


def _comparison(literal: Node) -> Node | None:
    """The comparison of a WHERE that a literal stands in, be it in a list."""
    found = None
    for node in literal.ancestors():
        if node.rule == WHERE_CLAUSE:
            return found
        if node.rule == Rule.COMPARISON:
            found = node
    return None
