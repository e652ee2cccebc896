"""Passages of patents that may bear on a question, found by their words or their vectors."""

from prompts.retrieval._ask import Named, named
from prompts.retrieval._found import Found
from prompts.retrieval._vectors import (
    ENCODER,
    VectorSearch,
    build_passage_vectors,
    read_passage_vectors,
    vectors_file,
)
from prompts.retrieval._words import WordSearch

__all__ = [
    "ENCODER",
    "Found",
    "Named",
    "VectorSearch",
    "WordSearch",
    "build_passage_vectors",
    "named",
    "read_passage_vectors",
    "vectors_file",
]
