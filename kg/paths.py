"""Where the project keeps what it can make again, files written whole, and whether it is a checkout."""

import os
from pathlib import Path

import platformdirs

from retrocypher.kg.errors import InputError


def cache_dir() -> Path:
    """Return the cache folder, made if absent: ``RETROCYPHER_CACHE``, else the user's cache folder."""
    named = os.environ.get("RETROCYPHER_CACHE")
    path = Path(named) if named else Path(platformdirs.user_cache_dir("retrocypher"))
    path.mkdir(parents=True, exist_ok=True)
    return path


def write_whole(file: Path, text: str) -> None:
    """Write a text file whole or not at all, its folder too if absent; raise InputError if that fails."""
    partial = file.with_name(f"{file.name}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(text.encode())
        partial.replace(file)
    except OSError as error:
        raise InputError(f"{file}: cannot be written ({error.strerror})") from error


def in_checkout() -> bool:
    """Tell whether this code is in a checkout of the project, rather than in an installed package."""
    return (Path(__file__).resolve().parents[1] / "pyproject.toml").is_file()
