"""Where the project keeps what it can make again, and whether it runs from a checkout."""

import os
from pathlib import Path

import platformdirs


def cache_dir() -> Path:
    """Return the cache folder, made if absent: ``RETROCYPHER_CACHE``, else the user's cache folder."""
    named = os.environ.get("RETROCYPHER_CACHE")
    path = Path(named) if named else Path(platformdirs.user_cache_dir("retrocypher"))
    path.mkdir(parents=True, exist_ok=True)
    return path


def in_checkout() -> bool:
    """Tell whether this code is in a checkout of the project, rather than in an installed package."""
    return (Path(__file__).resolve().parents[1] / "pyproject.toml").is_file()
