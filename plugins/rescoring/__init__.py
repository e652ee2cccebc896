"""Runs scored again from their records alone, when a metric or a label changes."""

from plugins.rescoring._render import render_rescored
from plugins.rescoring._rescore import Rescored, rescore
from plugins.rescoring._scored_again import Again, scored_again
from plugins.rescoring._write import Written, write_in_place

__all__ = ["Again", "Rescored", "Written", "render_rescored", "rescore", "scored_again", "write_in_place"]
