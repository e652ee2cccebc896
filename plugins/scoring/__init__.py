"""Rows and Cypher in, scores out; definitions and worked examples in ``docs/scores.md``."""

from plugins.scoring._difference import difference
from plugins.scoring._encoder import KeyEncoder, KeyMatcher, key_encoder_named
from plugins.scoring._metrics import METRICS
from plugins.scoring._score import score
from plugins.scoring._single_step import focus_key
from plugins.scoring._values_by_key import Values, values_by_key

__all__ = [
    "METRICS",
    "KeyEncoder",
    "KeyMatcher",
    "Values",
    "difference",
    "focus_key",
    "key_encoder_named",
    "score",
    "values_by_key",
]
