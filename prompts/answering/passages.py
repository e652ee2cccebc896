"""Finding patent passages for a question: an index of vectors in a file, and search by words or vectors."""

import logging
import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from filelock import FileLock
from msgspec import Struct
from numpy.typing import NDArray

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import Passage, Passages, passages_file
from retrocypher.prompts.templates.encoder import Encoder, Vectors

_logger = logging.getLogger(__name__)

PASSAGE_ENCODER = "all-MiniLM-L6-v2"
"""Makes the vectors of passages and questions unless another is named."""

_LONGEST_CHUNK = 600
"""Characters: of procedures, 98.5 % of such chunks fit into 256 tokens of MiniLM."""
_SENTENCE_END = re.compile(r"(?<=[.;:!?])\s+|\n+")
_FORMAT = 2
_BATCH = 64
_LOG_EVERY = 1280
_BROKEN = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile)
_HALF = 10.0
"""BM25 score that becomes 0.5: about what one rare molecule in common gives."""
_SAME = 0.999
"""Least cosine of two vectors of one text by one encoder: processors add up differently."""
_OF_THE_WORDS = 0.3
"""Weight of a question's words beside its molecules: all questions of a kind have the same words."""
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*", re.IGNORECASE)
_MARKS = ".,;:?!'\"`"
_IDS = frozenset({"id", "reaction", "route", "path", "chain"})

T = TypeVar("T")


def chunks_of(text: str, longest: int = _LONGEST_CHUNK) -> list[str]:
    """Return the chunks of a text: as many whole sentences as fit into `longest` characters.

    A longer sentence is cut, between words if it has any.
    """
    chunks: list[str] = []
    for piece in _pieces(text, longest):
        if chunks and len(chunks[-1]) + 1 + len(piece) <= longest:
            chunks[-1] += f" {piece}"
        else:
            chunks.append(piece)
    return chunks


def _pieces(text: str, longest: int) -> Iterator[str]:
    for sentence in _SENTENCE_END.split(text):
        rest = sentence.strip()
        while len(rest) > longest:
            blank = rest.rfind(" ", 0, longest + 1)
            cut = blank if blank > 0 else longest
            yield rest[:cut].rstrip()
            rest = rest[cut:].lstrip()
        if rest:
            yield rest


@dataclass(frozen=True, slots=True)
class PassageIndex:
    """Vectors of length 1, as rows, of all chunks of all passages, by the id of their reaction.

    Chunks of a passage are in order; `reactions` has the reaction of each.
    """

    encoder: str
    reactions: NDArray[np.int64]
    vectors: Vectors


def index_file(encoder: str = PASSAGE_ENCODER) -> Path:
    """Return the file of the index that an encoder makes, which may not exist."""
    plain = re.fullmatch(r"[\w.-]+", encoder) is not None
    name = encoder if plain else f"other-{blake2b(encoder.encode(), digest_size=6).hexdigest()}"
    file = passages_file()
    return file.with_name(f"{file.stem}-{name}-{_FORMAT}.npz")


def build_index(passages: Passages, encoder: Encoder) -> Path:
    """Compute the vectors of all passages and write them to their file, unless it exists.

    Finished batches stay on disk, so that an interrupted build resumes. Raises InputError if the encoder
    cannot be loaded.
    """
    file = index_file(encoder.name)
    file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{file}.lock"):
        if not file.exists():
            _build(file, passages, encoder)
    return file


def _build(file: Path, passages: Passages, encoder: Encoder) -> None:
    chunks = [(each.reaction, chunk) for each in passages for chunk in chunks_of(each.text)]
    parts = file.with_suffix(".parts")
    parts.mkdir(exist_ok=True)
    done = []
    for start in range(0, len(chunks), _BATCH):
        part = parts / f"{start:08}.npy"
        if not part.exists():
            with _complete(part) as partial:
                np.save(partial, encoder.encode([text for _, text in chunks[start : start + _BATCH]]))
        done.append(part)
        count = min(start + _BATCH, len(chunks))
        if count % _LOG_EVERY == 0 or count == len(chunks):
            _logger.info(f"{count:,} of {len(chunks):,} vectors")
    vectors = np.concatenate([np.load(part, allow_pickle=False) for part in done])
    reactions = np.array([reaction for reaction, _ in chunks], dtype=np.int64)
    with _complete(file) as partial:
        np.savez(partial, encoder=np.array(encoder.name), reactions=reactions, vectors=vectors)
    shutil.rmtree(parts)


@contextmanager
def _complete(file: Path) -> Iterator[Path]:
    """Yield a file to write to, which replaces `file` when it is complete."""
    # NumPy appends its own ending to a name with another one.
    partial = file.with_name(f"partial-{file.name}")
    yield partial
    partial.replace(file)


def read_index(encoder: str = PASSAGE_ENCODER) -> PassageIndex:
    """Read the index that an encoder made; raise InputError if it is missing, broken or of another."""
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
    return (
        f"retrocypher passages build --vectors{'' if encoder == PASSAGE_ENCODER else f' --encoder {encoder}'}"
    )


class PassageEntry(Struct, frozen=True):
    """What a record says of a passage; the text is in the messages."""

    reaction: int
    file: str
    row: int
    score: float


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage with its relevance, from 0 to 1; how that is computed depends on the search."""

    passage: Passage
    score: float

    @property
    def entry(self) -> PassageEntry:
        """What a record says of it."""
        passage = self.passage
        return PassageEntry(passage.reaction, passage.file, passage.row, round(self.score, 6))


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a question and its rows name; `words` are those of the question.

    Attributes:
        molecules: Possible molecules: each word of the question that does not look like an English word, and
            all texts of the rows. Those that are no molecule match no passage.
        reactions: Numbers in columns, or properties, whose name says id, reaction or route.
    """

    words: tuple[str, ...]
    molecules: tuple[str, ...]
    reactions: tuple[int, ...]


def mentions_in(question: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Mentions:
    """Return what a question and its rows, in the JSON form of a record, name; each once."""
    written = [part.strip(_MARKS) for part in question.split()]
    words = [each.lower() for each in written if _WORD.fullmatch(each)]
    molecules = [each for each in written if each and not (_WORD.fullmatch(each) and each[1:].islower())]
    reactions: list[int] = []
    for row in rows:
        for column, value in zip(columns, row, strict=True):
            for name, each in leaves(column.rpartition(".")[2], value):
                if isinstance(each, str):
                    molecules.append(each)
                elif isinstance(each, int) and not isinstance(each, bool) and _is_id(name):
                    reactions.append(each)
    return Mentions(_once(words), _once(molecules), _once(reactions))


def _once(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


def leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the values within a value of a row, each with the name of its property or of the column."""
    if isinstance(value, list):
        for each in value:
            yield from leaves(name, each)
    elif isinstance(value, dict):
        for inner, each in value.items():
            # Ids that the server gives its nodes, and labels, name nothing.
            if inner != "labels" and not (inner == "id" and isinstance(each, str)):
                yield from leaves(inner, each)
    else:
        yield name, value


def _is_id(name: str) -> bool:
    return any(part.removesuffix("s") in _IDS for part in re.split(r"[^a-z]+", name.lower()))


class WordSearch:
    """Finds at most `count` passages by BM25 over their words, their molecules and their reaction's id."""

    def __init__(self, passages: Passages, count: int) -> None:
        self._passages = passages
        self._count = count

    def __call__(
        self, question: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> list[FoundPassage]:
        """Return passages, the best first; the score is s / (s + 10) of the unbounded BM25 score s."""
        asked = mentions_in(question, columns, rows)
        found = self._passages.matching(asked.words, asked.molecules, asked.reactions, self._count)
        return [FoundPassage(passage, score / (score + _HALF)) for passage, score in found]


class VectorSearch:
    """Finds at most `count` passages by their vectors, and by whether the rows name their reaction.

    A sentence encoder does not read SMILES. So it reads the words of a question, to which a passage is as
    near as the nearest of its chunks. A molecule of the question is represented by the mean vector of the
    passages of its reactions, the rarer the heavier, and is compared with whole passages.

    Raises InputError if the index is of other passages or of another encoder.

    Args:
        weights: Of the cosine, and of a row that names the reaction.
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

    def __call__(
        self, question: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> list[FoundPassage]:
        """Return passages with a score above 0, the best first.

        The score is the weight of the text times the cosine, plus the other weight where a row names the
        reaction.
        """
        asked = mentions_in(question, columns, rows)
        text, graph = self._weights
        scores = text * self._nearness(question)
        scores += graph * np.isin(self._reactions, asked.reactions)
        best = np.argsort(-scores, kind="stable")[: self._count]
        return [
            FoundPassage(self._passages[int(self._reactions[place])], min(1.0, float(scores[place])))
            for place in best
            if scores[place] > 0
        ]

    def _nearness(self, question: str) -> Vectors:
        # A letter alone is a unit or a word as often as it is a molecule.
        molecules = [each for each in mentions_in(question, [], []).molecules if len(each) > 1]
        taking_part = {each: self._graph.reactions_with(each) for each in molecules}
        known = {each: reactions for each, reactions in taking_part.items() if reactions}
        words = " ".join(part for part in question.split() if part.strip(_MARKS) not in known)
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
