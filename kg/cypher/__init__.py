"""Cypher text, read with the grammar of Neo4j itself."""
