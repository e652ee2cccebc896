"""Arrows that contradict the schema, turned where the schema leaves one way to read them."""

from kg.direction._correct import Corrected, correct_directions
from kg.direction._words import Turned

__all__ = ["Corrected", "Turned", "correct_directions"]
