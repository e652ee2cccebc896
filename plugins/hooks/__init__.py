"""Hooks that the suite offers to other plugins."""

from plugins.hooks._loops import pytest_retrocypher_loops

__all__ = ["pytest_retrocypher_loops"]
