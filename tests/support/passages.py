"""Passages, and an encoder whose vectors can be told beforehand."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from retrocypher.kg.graph.passages import Passage
from retrocypher.prompts.templates.encoder import Vectors


class Shelf:
    """Passages of reactions 1, 2 and so on that note how they were asked."""

    def __init__(self, *texts: str, molecules: Mapping[str, tuple[int, ...]] | None = None) -> None:
        self._molecules = molecules or {}
        self._all = [Passage(number, text, "a", number) for number, text in enumerate(texts, 1)]
        self.asked: tuple[Any, ...] = ()

    def __iter__(self) -> Iterator[Passage]:
        return iter(self._all)

    def reactions_with(self, molecule: str) -> tuple[int, ...]:
        return self._molecules.get(molecule, ())

    def matching(self, *asked: Any) -> list[tuple[Passage, float]]:
        self.asked = asked
        return [(each, 10.0 / number) for number, each in enumerate(self._all, 1)]


class Letters:
    """Counts the letters a and b, and how many texts it was asked for."""

    def __init__(self, name: str = "letters") -> None:
        self.name = name
        self.asked = 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        counts = np.array([[text.count("a"), text.count("b")] for text in texts], dtype=np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1)
