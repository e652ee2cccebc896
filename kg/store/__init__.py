"""The graph in Neo4j: loading, schema text and fingerprint."""
