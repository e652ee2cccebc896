"""Scores and error labels of a case."""
