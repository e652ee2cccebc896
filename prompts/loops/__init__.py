"""Loops: what happens between a model's first answer and the query that is scored."""

from prompts.loops._interface import (
    Graph,
    Loop,
    LoopCase,
    LoopResult,
    LoopTools,
    OnceARun,
    Step,
    ValidatorName,
)
from prompts.loops._registry import loops_by_name
from prompts.loops._texts import text_hashes

__all__ = [
    "Graph",
    "Loop",
    "LoopCase",
    "LoopResult",
    "LoopTools",
    "OnceARun",
    "Step",
    "ValidatorName",
    "loops_by_name",
    "text_hashes",
]
