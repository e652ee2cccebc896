"""The schema text and schema of the default graph, as its server tells them."""

from retrocypher.kg.semantics.schema import Schema, default_schema_text, parse_schema

DEFAULT_SCHEMA_TEXT = default_schema_text().rstrip()


def default_schema() -> Schema:
    """The schema of the default graph."""
    return parse_schema(DEFAULT_SCHEMA_TEXT)
