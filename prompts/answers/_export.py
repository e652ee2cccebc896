"""A cache written out as lines of JSON."""

import gzip
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from kg.errors import InputError
from prompts.answers._connect import connect_to_read
from prompts.answers._faults import told
from prompts.answers._kept import Kept
from prompts.answers._prepare import prepare
from prompts.answers._store import COLUMNS, from_row


def export(path: Path, to: Path, *, models: Sequence[str] = ()) -> int:
    """Write answers as JSON lines, each as `Kept.to_json` has it, the oldest first; return how many.

    The same answers give the same bytes.

    Args:
        path: File of the cache.
        to: File to write, compressed where its name ends in ``.gz``; it must not exist.
        models: Of these models only; empty for all.

    Raises:
        AnswerCacheError: If the cache cannot be read.
        InputError: If the file is there already or cannot be written.
    """
    prepare(path, read_only=True)
    if to.exists():
        raise InputError(f"{to}: is there already. Name a new file, or remove this one.")
    count = 0
    with _writing(to) as file:
        for kept in _read(path):
            if not models or kept.model in models:
                file.write(json.dumps(kept.to_json()).encode() + b"\n")
                count += 1
    return count


def _read(path: Path) -> Iterator[Kept]:
    with told(path), closing(connect_to_read(path)) as connection:
        for row in connection.execute(f"SELECT {COLUMNS} FROM answers ORDER BY made, key"):
            yield from_row(row)


@contextmanager
def _writing(to: Path) -> Iterator[IO[bytes]]:
    """Open a file that is there whole or not at all."""
    partial = to.with_name(to.name + ".partial")
    try:
        with partial.open("wb") as plain:
            buffered = io.BufferedWriter(_compressed(plain)) if to.suffix == ".gz" else plain
            yield buffered
            if buffered is not plain:
                buffered.close()
        partial.replace(to)
    except OSError as error:
        raise InputError(
            f"{to}: cannot be written ({error.strerror}). Name a file in a folder with room."
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def _compressed(file: IO[bytes]) -> gzip.GzipFile:
    # Neither name nor time, so that the same answers give the same bytes.
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)
