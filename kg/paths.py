"""The cache folder, for what the project can make again."""

import os
from pathlib import Path

import platformdirs


def cache_dir() -> Path:
    """Return the cache folder, made if absent: ``RETROCYPHER_CACHE``, else the user's cache folder."""
    named = os.environ.get("RETROCYPHER_CACHE")
    path = Path(named) if named else Path(platformdirs.user_cache_dir("retrocypher"))
    path.mkdir(parents=True, exist_ok=True)
    return path
