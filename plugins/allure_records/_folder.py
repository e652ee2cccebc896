"""A folder of results that is replaced whole, or not at all."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path

from kg.errors import InputError

_NAMES = ("categories.json", "environment.properties", "executor.json")
_PATTERNS = ("*-result.json", "*-container.json", "*-attachment.*")


@contextmanager
def replaced(results: Path) -> Iterator[Path]:
    """Yield a new folder, which takes the place of another once it is whole.

    Args:
        results: The folder to replace, or to make.

    Raises:
        InputError: If it holds anything but Allure results, or cannot be written.
    """
    try:
        kept = _other(results)
        if kept is not None:
            raise InputError(f"{results}: holds {kept}, which is no Allure result; name a new folder")
        results.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{results.name}-", dir=results.parent) as parent:
            folder = Path(parent) / results.name
            folder.mkdir()
            yield folder
            if results.exists():
                shutil.rmtree(results)
            folder.rename(results)
    except OSError as error:
        raise InputError(f"{results}: cannot be written ({error.strerror}); name another folder") from error


def _other(results: Path) -> str | None:
    """Return the name of something in a folder that is not of Allure; None where there is nothing such."""
    if not results.exists():
        return None
    names = (each.name for each in results.iterdir())
    return next((name for name in names if name not in _NAMES and not _is_result(name)), None)


def _is_result(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in _PATTERNS)
