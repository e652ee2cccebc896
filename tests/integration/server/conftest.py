"""A driver to the server, and a cache that a test may change."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest

from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.endpoint import Endpoint, connect


@pytest.fixture
def driver(endpoint: Endpoint) -> Iterator[neo4j.Driver]:
    """A driver of one test, for a server that is replaced between them."""
    with connect(endpoint) as opened:
        yield opened


@pytest.fixture
def own_cache(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache with the jars of the user's and a copy of the stores there, the default graph's among them."""
    shared = cache_dir()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        cache, running = Path(folder, "cache"), Path(folder, "running")
        shutil.copytree(
            shared / "stores", cache / "stores", ignore=shutil.ignore_patterns("*.new", "*.lock", "docker-*")
        )
        for name in ("jars", "classes"):
            (cache / name).symlink_to(shared / name)
        running.mkdir()
        monkeypatch.setenv("RETROCYPHER_CACHE", str(cache))
        monkeypatch.setattr(tempfile, "tempdir", str(running))
        yield cache
