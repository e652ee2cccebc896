"""Deciding conflicts in a graph of reactions, and versions of the graph in which they are decided."""
