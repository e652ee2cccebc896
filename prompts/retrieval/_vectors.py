"""Passages found by their vectors, and by what the graph says of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kg.errors import InputError
from kg.passages import Passages
from prompts.encoders import Encoder, Vectors
from prompts.retrieval._ask import bare, named
from prompts.retrieval._chunks import chunks_of
from prompts.retrieval._found import Found
from prompts.retrieval._index import PassageIndex

_SAME = 0.999
"""Cosine of two vectors of one text from which on one encoder made both: processors add up differently."""
_OF_THE_WORDS = 0.3
"""Weight of a question's words beside its molecules: all questions of a kind have the same words."""


class VectorSearch:
    """Finds passages by their vectors, and by whether the rows name their reaction.

    A sentence encoder does not read SMILES. So it reads the words of a question, to which a passage is as
    near as the nearest of its chunks. A molecule of the question stands as the mean vector of the passages of
    those reactions that it takes part in, the rarer the heavier, and is compared with whole passages.

    Args:
        passages: The passages.
        index: Their vectors.
        encoder: What makes the vectors of questions.
        count: How many, at most.
        weights: Of the cosine, and of a row that names the reaction.

    Raises:
        InputError: If the index is of other passages or of another encoder.
    """

    def __init__(
        self,
        passages: Passages,
        index: PassageIndex,
        encoder: Encoder,
        count: int,
        weights: tuple[float, float] = (0.6, 0.4),
    ) -> None:
        self._graph = passages
        self._passages = {each.reaction: each for each in passages}
        self._encoder = encoder
        self._count = count
        self._weights = weights
        again = "make it again: retrocypher passages build --vectors"
        self._reactions, self._starts = np.unique(index.reactions, return_index=True)
        if self._reactions.tolist() != sorted(self._passages):
            raise InputError(f"the index of {index.encoder} is of other passages; delete it, and {again}")
        self._chunks = index.vectors
        self._wholes = _units(np.add.reduceat(index.vectors, self._starts))
        first = chunks_of(self._passages[int(index.reactions[0])].text)[0]
        made, held = encoder.encode([first])[0], index.vectors[0]
        if encoder.name != index.encoder or made.shape != held.shape or made @ held < _SAME:
            raise InputError(
                f"the passages were indexed by {index.encoder}, and not by the {encoder.name} that would "
                f"encode questions; delete the index, and {again}"
            )

    def __call__(self, question: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[Found]:
        """Return passages, the best first.

        The score is the weight of the text times the cosine, plus the other weight where a row names the
        reaction; those without a score above 0 are left out.

        Args:
            question: The question as asked.
            columns: Column names.
            rows: What its query returned.
        """
        asked = named(question, columns, rows)
        text, graph = self._weights
        scores = text * self._nearness(question)
        scores += graph * np.isin(self._reactions, asked.reactions)
        best = np.argsort(-scores, kind="stable")[: self._count]
        return [
            Found(self._passages[int(self._reactions[place])], min(1.0, float(scores[place])))
            for place in best
            if scores[place] > 0
        ]

    def _nearness(self, question: str) -> Vectors:
        # A letter alone is a unit or a word as often as it is a molecule.
        molecules = [each for each in named(question, [], []).molecules if len(each) > 1]
        taking_part = {each: self._graph.reactions_with(each) for each in molecules}
        known = {each: reactions for each, reactions in taking_part.items() if reactions}
        words = " ".join(part for part in question.split() if bare(part) not in known)
        read = self._encoder.encode([words])[0]
        by_words: Vectors = np.maximum.reduceat(self._chunks @ read, self._starts)
        if not known:
            return by_words
        asked = np.zeros_like(read)
        for reactions in known.values():
            mean = self._wholes[np.isin(self._reactions, reactions)].mean(axis=0)
            asked += _units(mean) * np.log(1 + len(self._passages) / len(reactions))
        nearness: Vectors = self._wholes @ _units(asked) + _OF_THE_WORDS * by_words
        return nearness / np.float32(1 + _OF_THE_WORDS)


def _units(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths, lengths, 1), dtype=np.float32)
