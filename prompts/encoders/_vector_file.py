"""Vectors in a file: one text a line, readable in a diff but for the numbers."""

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from kg.errors import InputError
from prompts.encoders._encoder import Vectors


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
