"""The names of the server's grammar that the project looks up."""

from enum import StrEnum


class Rule(StrEnum):
    """Rules of the grammar. Their presence is checked when the grammar is loaded.

    A rule renamed in another version of the grammar would otherwise be looked up in vain without notice.
    """

    STATEMENTS = "statements"
    CLAUSE = "clause"
    MATCH_CLAUSE = "matchClause"
    RETURN_BODY = "returnBody"
    RETURN_ITEM = "returnItem"
    RETURN_ITEMS = "returnItems"
    LIMIT = "limit"
    NODE_PATTERN = "nodePattern"
    INSERT_NODE_PATTERN = "insertNodePattern"
    RELATIONSHIP_PATTERN = "relationshipPattern"
    INSERT_RELATIONSHIP_PATTERN = "insertRelationshipPattern"
    LEFT_ARROW = "leftArrow"
    RIGHT_ARROW = "rightArrow"
    PATH_LENGTH = "pathLength"
    QUANTIFIER = "quantifier"
    LABEL_EXPRESSION = "labelExpression"
    INSERT_NODE_LABELS = "insertNodeLabelExpression"
    INSERT_RELATIONSHIP_LABELS = "insertRelationshipLabelExpression"
    SYMBOLIC_NAME = "symbolicNameString"
    SYMBOLIC_LABEL_NAME = "symbolicLabelNameString"
    VARIABLE = "variable"
    PROPERTIES = "properties"
    MAP = "map"
    EXPRESSION = "expression"
    COMPARISON = "expression8"
    PREDICATE = "comparisonExpression6"
    ADDITION = "expression6"
    LIST_LITERAL = "listLiteral"
    STRING_LITERAL = "stringLiteral"
