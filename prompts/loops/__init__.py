"""Loops of self-correction; what a loop of a user's own needs is importable from here."""

from retrocypher.prompts.loops.interface import (
    FirstMessages,
    Graph,
    Loop,
    LoopCase,
    LoopQuestion,
    LoopResult,
    LoopTools,
    Step,
)

__all__ = [
    "FirstMessages",
    "Graph",
    "Loop",
    "LoopCase",
    "LoopQuestion",
    "LoopResult",
    "LoopTools",
    "Step",
]
