"""Suites: questions about any property graph, the graphs, and the making of both."""
