"""The folder of the pages of cases, beside the report."""

import hashlib
import re
import shutil
from pathlib import Path
from types import TracebackType

from kg.errors import InputError

_MARK = ".retrocypher-cases"
_UNFIT = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 90


class CaseFolder:
    """A folder for pages that no other files are in, which takes the place of one made before.

    The old pages stay until all of the new ones are written.

    Args:
        path: The folder.

    Raises:
        InputError: If it holds files that no report wrote.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._new = path.with_name(f"{path.name}.new")
        for folder in (path, self._new):
            if folder.exists() and not (folder / _MARK).is_file():
                raise InputError(f"{folder}: holds files that no report wrote; name another page with --out")

    def __enter__(self) -> Path:
        """Return the folder to write the pages into."""
        shutil.rmtree(self._new, ignore_errors=True)
        self._new.mkdir()
        (self._new / _MARK).touch()
        return self._new

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            shutil.rmtree(self._new, ignore_errors=True)
            return
        shutil.rmtree(self.path, ignore_errors=True)
        self._new.rename(self.path)


def file_of(run: str, case: str) -> str:
    """Return the name of a case's page: the same each time, and fit for any file system."""
    told = hashlib.sha256(f"{run}\n{case}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_UNFIT.sub('-', case)[:_LONGEST].strip('-')}-{told}.html"
