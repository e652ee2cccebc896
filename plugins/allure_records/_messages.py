"""The messages of a run, read where they stand: of a large run they would fill the memory of each process."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from plugins.records import MESSAGES, locate_messages


class StoredMessages(Mapping[str, list[dict[str, str]]]):
    """The messages of a run by their hash.

    Args:
        run: The run directory.

    Raises:
        InputError: If the folder has no messages, or a line is not what a run writes there.
    """

    def __init__(self, run: Path) -> None:
        self._places = {line["sha256"]: offset for offset, line in locate_messages(run)}
        self._file = run / MESSAGES

    def __getitem__(self, sha256: str) -> list[dict[str, str]]:
        """Return the messages of a hash."""
        with self._file.open("rb") as file:
            file.seek(self._places[sha256])
            found: list[dict[str, str]] = json.loads(file.readline())["messages"]
        return found

    def __iter__(self) -> Iterator[str]:
        """Yield the hashes."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._places)
