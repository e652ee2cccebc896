"""Cypher text, read with the grammar of Neo4j itself."""

from kg.cypher._clauses import Clause, ReturnItem, clauses, without_item
from kg.cypher._edits import Edit, Span, apply_edits
from kg.cypher._parse import ParsedQuery, parse
from kg.cypher._patterns import (
    LengthRange,
    NodePattern,
    RelationshipPattern,
    length_ranges,
    relationship_patterns,
    reverse,
)
from kg.cypher._recovery import SyntaxIssue
from kg.cypher._rules import Rule
from kg.cypher._tokens import Token, TokenKind, tokens
from kg.cypher._tree import Node

__all__ = [
    "Clause",
    "Edit",
    "LengthRange",
    "Node",
    "NodePattern",
    "ParsedQuery",
    "RelationshipPattern",
    "ReturnItem",
    "Rule",
    "Span",
    "SyntaxIssue",
    "Token",
    "TokenKind",
    "apply_edits",
    "clauses",
    "length_ranges",
    "parse",
    "relationship_patterns",
    "reverse",
    "tokens",
    "without_item",
]
