"""Passages found by what they share with a question: words, molecules, reactions."""

from collections.abc import Sequence
from typing import Any

from kg.passages import Passages
from prompts.retrieval._ask import named
from prompts.retrieval._found import Found

_HALF = 10.0


class WordSearch:
    """Finds passages by BM25 over their words, their molecules and the id of their reaction.

    Args:
        passages: The passages.
        count: How many, at most.
    """

    def __init__(self, passages: Passages, count: int) -> None:
        self._passages = passages
        self._count = count

    def __call__(self, question: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[Found]:
        """Return passages, the best first; scores are s / (s + 10) of the BM25 score s.

        BM25 has no upper end, and a weight needs one: 10 is about what one rare molecule in common gives.

        Args:
            question: The question as asked.
            columns: Column names.
            rows: What its query returned.
        """
        asked = named(question, columns, rows)
        found = self._passages.matching(asked.words, asked.molecules, asked.reactions, self._count)
        return [Found(passage, score / (score + _HALF)) for passage, score in found]
