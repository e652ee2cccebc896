"""Cypher out of a completion."""
