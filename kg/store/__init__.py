"""The graph in Neo4j: loading, schema text and fingerprint."""

from kg.store._fingerprint import fingerprint
from kg.store._load import LoadReport, load
from kg.store._schema import schema_text

__all__ = ["LoadReport", "fingerprint", "load", "schema_text"]
