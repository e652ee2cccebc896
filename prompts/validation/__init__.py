"""Checks of a query against its question and the schema."""
