"""Reads passages."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from kg.errors import InputError
from kg.passages._build import molecule_token, reaction_token
from kg.passages._model import Passage

_FIND = """
SELECT passage.reaction, passage.text, passage.file, passage.row, -bm25(words, 0.25, 1.0)
FROM words JOIN passage ON passage.reaction = words.rowid
WHERE words MATCH ? ORDER BY bm25(words, 0.25, 1.0), passage.reaction LIMIT ?
"""
_WITH = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid"
_GET = "SELECT reaction, text, file, row FROM passage WHERE reaction = ?"


class Passages:
    """The passages of the default graph.

    Args:
        connection: An open file of them.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __len__(self) -> int:
        (count,) = self._connection.execute("SELECT count(*) FROM passage").fetchone()
        return int(count)

    def __iter__(self) -> Iterator[Passage]:
        """Yield all passages by the id of their reaction."""
        rows = self._connection.execute("SELECT reaction, text, file, row FROM passage ORDER BY reaction")
        return (Passage(*row) for row in rows)

    def of(self, reaction: int) -> Passage:
        """Return the passage of a reaction.

        Raises:
            KeyError: If there is none.
        """
        row = self._connection.execute(_GET, (reaction,)).fetchone()
        if row is None:
            raise KeyError(reaction)
        return Passage(*row)

    def reactions_with(self, molecule: str) -> tuple[int, ...]:
        """Return the ids of those reactions with a passage that a molecule takes part in, in any role.

        Args:
            molecule: A molecule as the graph names it.
        """
        rows = self._connection.execute(_WITH, (*_quoted("things", [molecule_token(molecule)]),))
        return tuple(reaction for (reaction,) in rows)

    def matching(
        self, words: Iterable[str], molecules: Iterable[str], reactions: Iterable[int], limit: int
    ) -> list[tuple[Passage, float]]:
        """Return the passages that share most with some words, molecules and reactions, the best first.

        Args:
            words: Words; whatever they hold they are read as words.
            molecules: Molecules as the graph names them.
            reactions: Ids of reactions.
            limit: How many, at most.

        Returns:
            Passages with their BM25 score (Okapi, k1 = 1.2, b = 0.75, as SQLite's FTS5 has it, a word a
            quarter of a molecule or reaction): above 0, without an upper end. Words of questions, such as
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
    """Open the file of the passages to read it.

    Args:
        file: As `build_passages` made it.

    Raises:
        InputError: If it cannot be read.
    """
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.execute("SELECT count(*) FROM passage")
            yield Passages(connection)
    except sqlite3.Error as error:
        raise InputError(f"{file} cannot be read ({error}); delete it, and it is made again") from error


def _quoted(column: str, words: Iterable[str]) -> Sequence[str]:
    return [f'{column}:"{word}"' for each in words if (word := each.replace('"', " ").strip())]
