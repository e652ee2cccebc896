"""A file of lines that holds whole lines only."""

import json
import os
from pathlib import Path


class LineFile:
    """Appends lines. Each is on the disk, for other processes to read, when `append` returns.

    Args:
        path: The file; made if absent. What it holds stays.

    Raises:
        OSError: If it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        self._size = os.fstat(self._file).st_size

    def append(self, line: str) -> None:
        """Append a line.

        Args:
            line: The line, without its end.

        Raises:
            OSError: If it cannot be written whole, on a full disk for instance; then nothing of it is left.
        """
        content = memoryview((line + "\n").encode())
        try:
            written = 0
            while written < len(content):
                written += os.write(self._file, content[written:])
        except OSError:
            os.ftruncate(self._file, self._size)
            raise
        self._size += len(content)

    def close(self) -> None:
        """Close the file; harmless when repeated."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def mend(path: Path) -> int:
    """Cut off what is left of a last line that was not written whole.

    Args:
        path: The file; none is an empty one.

    Returns:
        How many bytes were cut off.

    Raises:
        OSError: If the file cannot be written to.
    """
    if not path.exists():
        return 0
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        end = _end_of_lines(path, size)
        file.seek(end)
        rest = file.read()
        if rest and _is_json(rest):
            file.write(b"\n")
            return 0
        file.truncate(end)
        return size - end


def _end_of_lines(path: Path, size: int) -> int:
    """Return where the last line that has an end ends, looking from the back."""
    step = 1 << 16
    with path.open("rb") as file:
        while size:
            start = max(0, size - step)
            file.seek(start)
            at = file.read(size - start).rfind(b"\n")
            if at >= 0:
                return start + at + 1
            size = start
    return 0


def _is_json(line: bytes) -> bool:
    """Whether a line is whole but for its end."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
