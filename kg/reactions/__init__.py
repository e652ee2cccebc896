"""Reactions in: readers, cleaning, and the compact form the default graph is kept in."""

from kg.reactions._model import Reaction, Source

__all__ = ["Reaction", "Source"]
