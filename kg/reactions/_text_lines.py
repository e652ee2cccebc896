"""Opens the text files that people give, plain or gzip."""

import gzip
import zlib
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TextIO

from kg.errors import InputError


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 text file (gzip where the name ends in ``.gz``) with their numbers from 1.

    Raises:
        InputError: The file is missing, unreadable, not UTF-8, or has no line with text in it.
    """
    number, filled = 0, False
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, start=1):
                filled = filled or bool(line.strip())
                yield number, line
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise InputError(f"{path} cannot be read after line {number}: {error}.") from error
    if not filled:
        raise InputError(f"{path} is empty.")


def _opened(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def file_provenance(kind: str, path: Path) -> dict[str, object]:
    """Return what the manifest says about a file that a person gave: its kind, name and SHA-256."""
    return {"kind": kind, "files": {path.name: sha256(path.read_bytes()).hexdigest()}}
