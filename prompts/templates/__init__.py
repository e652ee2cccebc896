"""Prompts, exemplars and their selection."""
