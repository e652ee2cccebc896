"""The claims of a written answer, and their check against the graph."""
