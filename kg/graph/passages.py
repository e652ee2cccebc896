"""Passages: what patents say of how reactions were done, in one SQLite file with a search index."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from filelock import FileLock

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.compact import read_graph, read_manifest
from retrocypher.kg.graph.orderly import orderly_wheel
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.paths import cache_dir

_FORM = 1

_SCHEMA = """
CREATE TABLE passage (
    reaction INTEGER PRIMARY KEY, text TEXT NOT NULL, file TEXT NOT NULL, row INTEGER NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(text, things, content='', tokenize="unicode61 remove_diacritics 2");
"""

_FIND = """
SELECT passage.reaction, passage.text, passage.file, passage.row, -bm25(words, 0.25, 1.0)
FROM words JOIN passage ON passage.reaction = words.rowid
WHERE words MATCH ? ORDER BY bm25(words, 0.25, 1.0), passage.reaction LIMIT ?
"""

_WITH = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid"
_ALL = "SELECT reaction, text, file, row FROM passage"


@dataclass(frozen=True, slots=True)
class Passage:
    """The procedure text of a reaction of the graph, with its file and row, from 1, in the source."""

    reaction: int
    text: str
    file: str
    row: int


def passages_file() -> Path:
    """Return the file of the passages, which need not be there; its name tells which graph they are of."""
    return cache_dir() / "passages" / f"{graph_fingerprint()[:12]}-{_FORM}.sqlite"


def graph_fingerprint() -> str:
    """Return the fingerprint of the graph that passages come with: the default one."""
    return str(read_manifest()["fingerprint"])


def build_passages() -> Path:
    """Return the file of the passages, built if absent; raise InputError if the wheel or the disk fails."""
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
                    f"The passages cannot be written to {file} ({error}). Make room on the disk, and use a "
                    "Python whose SQLite has FTS5."
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
        things = " ".join([reaction_token(reaction.id), *map(molecule_token, reaction.molecules)])
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


class Passages:
    """The passages of the default graph."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __len__(self) -> int:
        (count,) = self._connection.execute("SELECT count(*) FROM passage").fetchone()
        return int(count)

    def __iter__(self) -> Iterator[Passage]:
        """Yield all passages by the id of their reaction."""
        rows = self._connection.execute(f"{_ALL} ORDER BY reaction")
        return (Passage(*row) for row in rows)

    def of(self, reaction: int) -> Passage:
        """Return the passage of a reaction; raise KeyError if there is none."""
        row = self._connection.execute(f"{_ALL} WHERE reaction = ?", (reaction,)).fetchone()
        if row is None:
            raise KeyError(reaction)
        return Passage(*row)

    def reactions_with(self, molecule: str) -> tuple[int, ...]:
        """Return the ids of the reactions with a passage in which a molecule has any role."""
        rows = self._connection.execute(_WITH, (*_quoted("things", [molecule_token(molecule)]),))
        return tuple(reaction for (reaction,) in rows)

    def matching(
        self, words: Iterable[str], molecules: Iterable[str], reactions: Iterable[int], limit: int
    ) -> list[tuple[Passage, float]]:
        """Return the passages that share most with some words, molecules and reactions, the best first.

        The score is BM25 (Okapi, k1 = 1.2, b = 0.75, as in SQLite's FTS5), above 0 without an upper end; a
        word has a quarter of the weight of a molecule or reaction, because words of questions, such as
        "exactly", are rare in procedures and say nothing there.
        """
        things = [*map(molecule_token, molecules), *map(reaction_token, reactions)]
        terms = dict.fromkeys([*_quoted("text", words), *_quoted("things", things)])
        if not terms:
            return []
        rows = self._connection.execute(_FIND, (" OR ".join(terms), limit)).fetchall()
        return [(Passage(*row[:4]), float(row[4])) for row in rows]


@contextmanager
def open_passages(file: Path) -> Iterator[Passages]:
    """Open the file of the passages to read it; raise InputError if it cannot be read."""
    try:
        uri = f"{file.absolute().as_uri()}?mode=ro"
        # Threads of a worker use it in turn.
        with closing(sqlite3.connect(uri, uri=True, check_same_thread=False)) as connection:
            connection.execute("SELECT count(*) FROM passage")
            yield Passages(connection)
    except sqlite3.Error as error:
        raise InputError(f"{file} cannot be read ({error}). Delete it; it is then made again.") from error


def procedure_texts() -> dict[int, str]:
    """Return the procedure texts of the default graph by reaction; they are fetched if absent."""
    with open_passages(build_passages()) as passages:
        return {each.reaction: each.text for each in passages}


def _quoted(column: str, words: Iterable[str]) -> Sequence[str]:
    return [f'{column}:"{word}"' for each in words if (word := each.replace('"', " ").strip())]
