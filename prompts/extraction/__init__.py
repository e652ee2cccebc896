"""Finding the Cypher query in a model's answer."""

from prompts.extraction._extract import extract_cypher

__all__ = ["extract_cypher"]
