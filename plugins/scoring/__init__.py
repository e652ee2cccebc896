"""Rows and Cypher in, scores out; definitions and worked examples in ``docs/scores.md``."""

from plugins.scoring._difference import difference
from plugins.scoring._encoder import KeyMatcher
from plugins.scoring._score import score

__all__ = ["KeyMatcher", "difference", "score"]
