"""Passages of patents that may bear on a question, found by their words or their vectors."""

from prompts.retrieval._found import Found

__all__ = ["Found"]
