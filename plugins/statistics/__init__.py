"""Intervals, paired tests, agreement and power."""
