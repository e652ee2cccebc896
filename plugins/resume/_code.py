"""Which code makes the records of a run."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

_LIST = Path(__file__).with_name("code.yaml")
_CHECKOUT = Path(__file__).parents[2]


def code_sha256(checkout: Path = _CHECKOUT) -> str:
    """Return a hash of the code and data files that decide what is on a record, as they are on the disk.

    Args:
        checkout: The folder that holds the packages; needs no git.
    """
    digest = hashlib.sha256()
    for file in code_files(checkout):
        content = hashlib.sha256(file.read_bytes()).digest()
        digest.update(file.relative_to(checkout).as_posix().encode() + b"\0" + content)
    return digest.hexdigest()


def code_files(checkout: Path = _CHECKOUT) -> list[Path]:
    """Return the files that `code_sha256` reads, in order (``code.yaml`` says which)."""
    listed = _listed()
    apart = tuple(listed["apart"])
    found = (file for folder in listed["folders"] for file in _below(checkout / folder, checkout, apart))
    return sorted(file for file in found if file.suffix in listed["endings"])


def library_versions() -> dict[str, str]:
    """Return the versions of the installed packages that a record depends on."""
    found = {}
    for name in _listed()["libraries"]:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _below(folder: Path, checkout: Path, apart: tuple[str, ...]) -> Iterator[Path]:
    for entry in os.scandir(folder) if folder.is_dir() else ():
        path = Path(entry.path)
        name = path.relative_to(checkout).as_posix()
        if entry.name.startswith((".", "__pycache__")) or any(PurePosixPath(name).match(p) for p in apart):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _below(path, checkout, apart)
        else:
            yield path


@cache
def _listed() -> Mapping[str, Any]:
    listed: dict[str, Any] = yaml.safe_load(_LIST.read_text(encoding="utf-8"))
    return listed
