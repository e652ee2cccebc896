"""Figures and tables for a paper, from the numbers of a report."""

from plugins.figures._write import write_figures

__all__ = ["write_figures"]
