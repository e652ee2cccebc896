"""Stored vectors first, the encoder itself only for a text that has none."""

import base64
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from filelock import FileLock

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import cache_dir
from retrocypher.prompts.templates.encoder import SentenceEncoder, Vectors, extra_installed


def text_key(text: str) -> str:
    """Return the key of a text: its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()


def read_vectors(path: Path, encoder: str) -> dict[str, Vectors]:
    """Return vectors by text; none where there is no file.

    Args:
        path: JSON lines: a head with the encoder's name, then ``sha256``, ``text`` and ``vector`` (base64 of
            little-endian float32) a line.
        encoder: The name the head must have.

    Raises:
        InputError: If the file is broken or of another encoder.
    """
    if not path.is_file():
        return {}
    try:
        head, *entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        vectors = {
            entry["text"]: np.frombuffer(base64.b64decode(entry["vector"]), dtype="<f4").astype(np.float32)
            for entry in entries
        }
        if any(text_key(entry["text"]) != entry["sha256"] for entry in entries):
            raise ValueError("a text does not have the SHA-256 beside it")
        if head["encoder"] != encoder or any(len(each) != head["dimension"] for each in vectors.values()):
            raise ValueError("the vectors are of another encoder or length")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"vector file {path}: {error}; delete it, and make it again with: retrocypher vectors build"
        ) from error
    return vectors


def write_vectors(path: Path, encoder: str, vectors: Mapping[str, Vectors]) -> None:
    """Write vectors by text, sorted by text; the same vectors give the same bytes.

    Args:
        path: The file.
        encoder: Name of the encoder.
        vectors: One vector a text, all of one length.
    """
    lines = [{"encoder": encoder, "dimension": len(next(iter(vectors.values()))), "texts": len(vectors)}]
    entries = [
        {
            "text": text,
            "sha256": text_key(text),
            "vector": base64.b64encode(vectors[text].astype("<f4").tobytes()).decode(),
        }
        for text in sorted(vectors)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    # Renamed into place: another session may be reading.
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    scratch.write_text("".join(json.dumps(line) + "\n" for line in [*lines, *entries]), encoding="utf-8")
    scratch.replace(path)


SHIPPED = Path(__file__).parent / "vectors"
SHOWN = 80


class StoredEncoder:
    """An encoder that looks vectors up, and computes only what it has not seen.

    Args:
        name: Name of the encoder.
        shipped: Vectors that came with the project.
        kept: Where vectors computed on this machine are kept for later runs and other processes.
    """

    def __init__(self, name: str, shipped: Path, kept: Path) -> None:
        self._name = name
        self._kept = kept
        self._vectors = read_vectors(kept, name) | read_vectors(shipped, name)
        self._model: SentenceEncoder | None = None

    @property
    def name(self) -> str:
        """Name of the encoder."""
        return self._name

    def missing(self, texts: Iterable[str]) -> list[str]:
        """Return the texts without a stored vector, each once, in order."""
        return [text for text in dict.fromkeys(texts) if text not in self._vectors]

    def prepare(self, texts: Iterable[str]) -> None:
        """See that each text has a stored vector.

        Raises:
            InputError: If one has none and the encoder is not installed or cannot be loaded.
        """
        missing = self.missing(texts)
        if not missing:
            return
        if not extra_installed():
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            shown = missing[0] if len(missing[0]) <= SHOWN else f"{missing[0][:SHOWN]}…"
            raise InputError(
                f'1S-D-S: no {self._name} vector for the text "{shown}"{more}; '
                "install the extra to compute it: pip install -e '.[semantic]', or choose another --shot"
            )
        self._model = self._model or SentenceEncoder(self._name)
        computed = dict(zip(missing, self._model.encode(missing), strict=True))
        self._vectors |= computed
        self._kept.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._kept}.lock"):
            write_vectors(self._kept, self._name, read_vectors(self._kept, self._name) | computed)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 a text.

        Raises:
            InputError: If one has none and the encoder is not installed or cannot be loaded.
        """
        self.prepare(texts)
        return np.stack([self._vectors[text] for text in texts])


def stored_encoder(name: str) -> StoredEncoder:
    """Return the encoder of this name with the vectors shipped and those kept in the cache folder.

    Raises:
        InputError: If a vector file is broken.
    """
    file = f"{name}.jsonl"
    return StoredEncoder(name, SHIPPED / file, cache_dir() / "vectors" / file)


def build_vectors(texts: Iterable[str], name: str, path: Path | None = None) -> int:
    """Compute the vectors that ship with the project and write them to their file.

    Args:
        texts: The texts; each is encoded once.
        name: Name of the encoder.
        path: The file; that of the shipped vectors when None.

    Returns:
        How many texts the file has.

    Raises:
        InputError: If the encoder is not installed or cannot be loaded.
    """
    distinct = sorted(set(texts))
    vectors = dict(zip(distinct, SentenceEncoder(name).encode(distinct), strict=True))
    write_vectors(path or SHIPPED / f"{name}.jsonl", name, vectors)
    return len(vectors)
