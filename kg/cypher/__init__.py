"""Cypher text, read with the grammar of Neo4j itself."""

from kg.cypher._clauses import WRITING, Clause, ReturnItem, clauses, without_item, writing_clauses
from kg.cypher._difference import differing, is_word
from kg.cypher._edits import Edit, Span, apply_edits
from kg.cypher._literals import MaskedText, StringLiteral, mask_literals, quote, string_literals, unmask
from kg.cypher._names import name_of
from kg.cypher._numbers import number_value
from kg.cypher._parameters import Parameterised, parameter_places, parameterise
from kg.cypher._parse import ParsedQuery, parse
from kg.cypher._patterns import (
    LengthRange,
    NodePattern,
    RelationshipPattern,
    length_of,
    length_ranges,
    relationship_patterns,
    reverse,
)
from kg.cypher._recovery import SyntaxIssue
from kg.cypher._rules import Rule
from kg.cypher._shape import shape
from kg.cypher._tokens import Token, TokenKind, tokens
from kg.cypher._tree import Node

__all__ = [
    "WRITING",
    "Clause",
    "Edit",
    "LengthRange",
    "MaskedText",
    "Node",
    "NodePattern",
    "Parameterised",
    "ParsedQuery",
    "RelationshipPattern",
    "ReturnItem",
    "Rule",
    "Span",
    "StringLiteral",
    "SyntaxIssue",
    "Token",
    "TokenKind",
    "apply_edits",
    "clauses",
    "differing",
    "is_word",
    "length_of",
    "length_ranges",
    "mask_literals",
    "name_of",
    "number_value",
    "parameter_places",
    "parameterise",
    "parse",
    "quote",
    "relationship_patterns",
    "reverse",
    "shape",
    "string_literals",
    "tokens",
    "unmask",
    "without_item",
    "writing_clauses",
]
