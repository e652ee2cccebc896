"""The graph, its server, its questions and the analysis of Cypher; nothing here knows models or pytest."""
