"""The schema text of the default graph, as its server tells it."""

from retrocypher.kg.semantics.schema import default_schema_text

DEFAULT_SCHEMA_TEXT = default_schema_text().rstrip()
