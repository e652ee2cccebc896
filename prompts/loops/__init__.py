"""Loops of self-correction; what a loop of a user's own needs is importable from here."""

from retrocypher.prompts.loops.interface import Graph, Loop, LoopCase, LoopResult, LoopTools, Step

__all__ = ["Graph", "Loop", "LoopCase", "LoopResult", "LoopTools", "Step"]
