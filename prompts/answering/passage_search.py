"""A passage that was found."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import Passage, Passages
from retrocypher.prompts.answering.passage_index import PassageIndex, chunks_of
from retrocypher.prompts.templates.encoder import Encoder, Vectors


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with how near it is.

    Attributes:
        passage: The passage.
        score: From 0 to 1; what it is depends on how it was found.
    """

    passage: Passage
    score: float

    def to_json(self) -> dict[str, Any]:
        """Return what a record says of it: the text stands in the messages."""
        where = {"reaction": self.passage.reaction, "file": self.passage.file, "row": self.passage.row}
        return {**where, "score": round(self.score, 6)}


T = TypeVar("T")

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*", re.IGNORECASE)
_ENDS = ".,;:?!'\"`"
_IDS = frozenset({"id", "reaction", "route", "path", "chain"})


@dataclass(frozen=True, slots=True)
class Named:
    """What a question and its rows name.

    Attributes:
        words: Words of the question.
        molecules: What may be a molecule: whatever is one word with something in it that no English word has,
            and all texts of the rows. What is none is found nowhere.
        reactions: Numbers in columns, or properties, that are called an id, a reaction or a route.
    """

    words: tuple[str, ...]
    molecules: tuple[str, ...]
    reactions: tuple[int, ...]


def named(question: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Named:
    """Return what a question and its rows name, each once.

    Args:
        question: The question as asked.
        columns: Column names.
        rows: Rows in column order, in the JSON form of a record.
    """
    written = [bare(part) for part in question.split()]
    words = [each.lower() for each in written if _WORD.fullmatch(each)]
    molecules = [each for each in written if each and not (_WORD.fullmatch(each) and each[1:].islower())]
    reactions: list[int] = []
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            for name, each in _leaves(column.rpartition(".")[2], value):
                if isinstance(each, str):
                    molecules.append(each)
                elif isinstance(each, int) and not isinstance(each, bool) and _is_id(name):
                    reactions.append(each)
    return Named(_once(words), _once(molecules), _once(reactions))


def bare(part: str) -> str:
    """Return a part of a text without the marks around it."""
    return part.strip(_ENDS)


def _once(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


def _leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        for each in value:
            yield from _leaves(name, each)
    elif isinstance(value, dict):
        for inner, each in value.items():
            # Ids that the server gives its nodes, and labels, name nothing.
            if inner != "labels" and not (inner == "id" and isinstance(each, str)):
                yield from _leaves(inner, each)
    else:
        yield name, value


def _is_id(name: str) -> bool:
    return any(part.removesuffix("s") in _IDS for part in re.split(r"[^a-z]+", name.lower()))


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
