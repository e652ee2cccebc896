"""The knowledge graph: reactions in, Neo4j out, questions and gold, guarded execution, Cypher text."""
