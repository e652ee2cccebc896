"""Procedure texts of the patents that the reactions of the default graph come from."""

from kg.passages._model import Passage

__all__ = ["Passage"]
