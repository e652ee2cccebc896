"""Loops of self-correction."""
