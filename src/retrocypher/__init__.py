"""RetroCypher measures how well a language model turns a question into a Cypher query."""
