"""Runs scored again from their records alone, when a metric or a label changes."""

from plugins.rescoring._render import render_rescored
from plugins.rescoring._rescore import Rescored, rescore
from plugins.rescoring._scored_again import Again, scored_again

__all__ = ["Again", "Rescored", "render_rescored", "rescore", "scored_again"]
