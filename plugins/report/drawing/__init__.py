"""Molecules, reactions and routes as SVG."""

from plugins.report.drawing._molecule import HEIGHT, WIDTH, Depictions
from plugins.report.drawing._route import Step, draw_route

__all__ = ["HEIGHT", "WIDTH", "Depictions", "Step", "draw_route"]
