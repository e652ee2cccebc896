"""Passages of patents that may bear on a question, found by their words or their vectors."""

from prompts.retrieval._ask import Named, named
from prompts.retrieval._found import Found
from prompts.retrieval._index import ENCODER, PassageIndex, build_index, index_file, read_index
from prompts.retrieval._vectors import VectorSearch
from prompts.retrieval._words import WordSearch

__all__ = [
    "ENCODER",
    "Found",
    "Named",
    "PassageIndex",
    "VectorSearch",
    "WordSearch",
    "build_index",
    "index_file",
    "named",
    "read_index",
]
