"""Arrows that contradict the schema, turned where the schema leaves one way to read them."""

from kg.direction.direction import Corrected, Turned, correct_directions

__all__ = ["Corrected", "Turned", "correct_directions"]
