"""Opens the text files that people give, plain or gzip."""

import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from hashlib import sha256
from io import BufferedIOBase
from pathlib import Path

from kg.errors import InputError


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""Yield the lines of a UTF-8 text file (gzip where the name ends in ``.gz``) with their numbers from 1.

    A line ends with ``\n``, ``\r\n`` or ``\r``, and is yielded with ``\n``.

    Raises:
        InputError: The file is missing, unreadable, not UTF-8, or has no line with text in it.
    """
    number, filled = 0, False
    try:
        with _opened(path) as file:
            for block in file:
                # A block ends with \n; bytes.splitlines also splits at each \r, and at nothing else.
                for raw in block.splitlines():
                    number += 1
                    line = _decoded(path, number, raw)
                    filled = filled or bool(line.strip())
                    yield number, f"{line}\n"
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read after row {number}: {error}.") from error
    if not filled:
        raise InputError(f"{path} is empty.")


def _opened(path: Path) -> BufferedIOBase:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _decoded(path: Path, number: int, raw: bytes) -> str:
    try:
        return (raw.removeprefix(BOM_UTF8) if number == 1 else raw).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} row {number} is not UTF-8: {error}. Save the file as UTF-8.") from error


def file_provenance(kind: str, path: Path) -> dict[str, object]:
    """Return what the manifest says about a file that a person gave: its kind, name and SHA-256."""
    return {"kind": kind, "files": {path.name: sha256(path.read_bytes()).hexdigest()}}
