"""Procedure texts of the patents that the reactions of the default graph come from."""

from kg.passages._build import build_passages, graph_fingerprint, passages_file
from kg.passages._model import Passage
from kg.passages._store import Passages, open_passages

__all__ = [
    "Passage",
    "Passages",
    "build_passages",
    "graph_fingerprint",
    "open_passages",
    "passages_file",
]
