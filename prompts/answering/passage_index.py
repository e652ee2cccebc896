"""The index of passages: a vector a chunk, kept in one file for each encoder."""

import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import Passages, passages_file
from retrocypher.prompts.templates.encoder import Encoder, Vectors

MOST = 600
"""Characters of a chunk, at most: of procedures, 98.5 % of such chunks fit into 256 tokens of MiniLM."""

_ENDS = re.compile(r"(?<=[.;:!?])\s+|\n+")


def chunks_of(text: str, most: int = MOST) -> list[str]:
    """Return the chunks of a text: sentences, as many together as fit, each in one chunk alone.

    Args:
        text: The text; one chunk at least comes of it, unless it is empty.
        most: Characters of a chunk, at most; a sentence that is longer is cut, between words if it has any.
    """
    chunks: list[str] = []
    for piece in _pieces(text, most):
        if chunks and len(chunks[-1]) + 1 + len(piece) <= most:
            chunks[-1] += f" {piece}"
        else:
            chunks.append(piece)
    return chunks


def _pieces(text: str, most: int) -> Iterator[str]:
    for sentence in _ENDS.split(text):
        rest = sentence.strip()
        while len(rest) > most:
            blank = rest.rfind(" ", 0, most + 1)
            cut = blank if blank > 0 else most
            yield rest[:cut].rstrip()
            rest = rest[cut:].lstrip()
        if rest:
            yield rest


ENCODER = "all-MiniLM-L6-v2"
"""What makes the vectors of passages and questions where no other is named."""

_FORM = 2
_AT_ONCE = 64
_BROKEN = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)


@dataclass(frozen=True, slots=True)
class PassageIndex:
    """Vectors of all passages.

    Attributes:
        encoder: Name of the encoder that made them.
        reactions: Of each chunk, the reaction whose passage it is of; those of a passage in order, passages
            by the id of their reaction.
        vectors: Of each chunk, its vector of length 1.
    """

    encoder: str
    reactions: NDArray[np.int64]
    vectors: Vectors


def index_file(encoder: str = ENCODER) -> Path:
    """Return the file of the index that an encoder makes, which need not be there."""
    plain = re.fullmatch(r"[\w.-]+", encoder) is not None
    name = encoder if plain else f"other-{blake2b(encoder.encode(), digest_size=6).hexdigest()}"
    file = passages_file()
    return file.with_name(f"{file.stem}-{name}-{_FORM}.npz")


def build_index(
    passages: Passages, encoder: Encoder, told: Callable[[int, int], None] = lambda done, of: None
) -> Path:
    """Compute the vectors of all passages and write them to their file, unless they are there.

    What is done is kept, so that it can be broken off and gone on with.

    Args:
        passages: The passages.
        encoder: What makes the vectors.
        told: Takes how many chunks are done, and of how many.

    Raises:
        InputError: If the encoder cannot be loaded.
    """
    file = index_file(encoder.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{file}.lock"):
        if not file.exists():
            _build(file, passages, encoder, told)
    return file


def _build(file: Path, passages: Passages, encoder: Encoder, told: Callable[[int, int], None]) -> None:
    chunks = [(each.reaction, chunk) for each in passages for chunk in chunks_of(each.text)]
    parts = file.with_suffix(".parts")
    parts.mkdir(exist_ok=True)
    done = []
    for start in range(0, len(chunks), _AT_ONCE):
        part = parts / f"{start:08}.npy"
        if not part.exists():
            with _whole(part) as partial:
                np.save(partial, encoder.encode([text for _, text in chunks[start : start + _AT_ONCE]]))
        done.append(part)
        told(min(start + _AT_ONCE, len(chunks)), len(chunks))
    vectors = np.concatenate([np.load(part, allow_pickle=False) for part in done])
    reactions = np.array([reaction for reaction, _ in chunks], dtype=np.int64)
    with _whole(file) as partial:
        np.savez(partial, encoder=np.array(encoder.name), reactions=reactions, vectors=vectors)
    shutil.rmtree(parts)


@contextmanager
def _whole(file: Path) -> Iterator[Path]:
    """Give a file to write to, which takes its place when it is written."""
    # The name must end as the file's does, or NumPy would add to it.
    partial = file.with_name(f"partial-{file.name}")
    yield partial
    partial.replace(file)


def read_index(encoder: str = ENCODER) -> PassageIndex:
    """Read the index that an encoder made.

    Args:
        encoder: Name of the encoder.

    Raises:
        InputError: If it is not there, the file is broken, or another encoder made it.
    """
    file = index_file(encoder)
    try:
        with np.load(file, allow_pickle=False) as held:
            index = PassageIndex(str(held["encoder"]), held["reactions"], held["vectors"])
    except FileNotFoundError as error:
        raise InputError(f"no vectors of the passages at {file}; make them: {_command(encoder)}") from error
    except _BROKEN as error:
        raise InputError(
            f"{file} cannot be read ({error}); delete it, and make it again: {_command(encoder)}"
        ) from error
    if index.encoder != encoder or index.vectors.ndim != 2 or len(index.vectors) != len(index.reactions):
        raise InputError(
            f"{file} is not what {encoder} makes of the passages (it names {index.encoder}); delete it, and "
            f"make it again: {_command(encoder)}"
        )
    return index


def _command(encoder: str) -> str:
    return f"retrocypher passages build --vectors{'' if encoder == ENCODER else f' --encoder {encoder}'}"
