"""Passages found by their vectors."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kg.errors import InputError
from kg.passages import Passages, passages_file
from prompts.encoders import Encoder, Vectors
from prompts.retrieval._found import Found

ENCODER = "all-mpnet-base-v2"
_AT_ONCE = 64


class VectorSearch:
    """Finds passages by the cosine of their vector with that of the question.

    Args:
        passages: The passages.
        vectors: One vector of length 1 a passage, in the order of the passages.
        encoder: What made them.
        count: How many, at most.

    Raises:
        InputError: If there are not as many vectors as passages.
    """

    def __init__(self, passages: Passages, vectors: Vectors, encoder: Encoder, count: int) -> None:
        self._passages = list(passages)
        self._vectors = vectors
        self._encoder = encoder
        self._count = count
        if len(self._passages) != len(vectors):
            raise InputError(
                f"{len(vectors):,} vectors for {len(self._passages):,} passages; make them again with: "
                "retrocypher passages build --vectors"
            )

    def __call__(self, question: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[Found]:
        """Return passages, the nearest first; scores are cosines, those under 0 left out.

        Args:
            question: The question as asked: it alone is looked for.
            columns: Column names, not looked at.
            rows: What its query returned, not looked at.
        """
        cosines = self._vectors @ self._encoder.encode([question])[0]
        nearest = np.argsort(-cosines, kind="stable")[: self._count]
        return [
            Found(self._passages[place], min(1.0, float(cosines[place])))
            for place in nearest
            if cosines[place] > 0
        ]


def vectors_file(encoder: str = ENCODER) -> Path:
    """Return the file of the vectors of all passages, which need not be there."""
    file = passages_file()
    return file.with_name(f"{file.stem}-{encoder}.npy")


def build_passage_vectors(
    passages: Passages, encoder: Encoder, told: Callable[[int, int], None] = lambda done, of: None
) -> Path:
    """Compute the vectors of all passages and write them to their file.

    It takes hours without an accelerator; what there is is kept, so that it can be broken off and gone on
    with.

    Args:
        passages: The passages.
        encoder: What makes them.
        told: Takes how many are done, and of how many.

    Raises:
        InputError: If the encoder cannot be loaded.
    """
    file = vectors_file(encoder.name)
    parts = file.with_suffix(".parts")
    parts.mkdir(parents=True, exist_ok=True)
    texts = [each.text for each in passages]
    done = []
    for start in range(0, len(texts), _AT_ONCE):
        part = parts / f"{start:08}.npy"
        if not part.exists():
            _save(part, encoder.encode(texts[start : start + _AT_ONCE]))
        done.append(part)
        told(min(start + _AT_ONCE, len(texts)), len(texts))
    _save(file, np.concatenate([np.load(part, allow_pickle=False) for part in done]))
    shutil.rmtree(parts)
    return file


def _save(file: Path, vectors: Vectors) -> None:
    # The name must end so, or NumPy would add to it; put in place whole.
    partial = file.with_name(f"{file.stem}.partial.npy")
    np.save(partial, vectors)
    partial.replace(file)


def read_passage_vectors(encoder: str = ENCODER) -> Vectors:
    """Read the vectors of all passages.

    Args:
        encoder: Name of the encoder.

    Raises:
        InputError: If they are not there, or the file is broken.
    """
    file = vectors_file(encoder)
    try:
        vectors: Vectors = np.load(file, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no vectors of the passages at {file}; make them with: retrocypher passages build --vectors"
        ) from error
    return vectors
