"""What a graph holds: labels, relationship types, their properties, and which way each type runs."""

from kg.schema._default import default_schema, default_schema_text
from kg.schema._model import Connection, Properties, Schema, SchemaEdge
from kg.schema._read import parse_schema

__all__ = [
    "Connection",
    "Properties",
    "Schema",
    "SchemaEdge",
    "default_schema",
    "default_schema_text",
    "parse_schema",
]
