"""Operators that plant a known error in a query, and rewrites that change nothing."""
