"""Question in, Cypher out: templates, exemplar banks, shots and models."""
