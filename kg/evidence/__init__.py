"""Evidence for the facts of a graph, and how sure each is."""
