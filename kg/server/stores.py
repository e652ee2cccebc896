"""Stores that are loaded already, kept to be copied."""

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from retrocypher.kg.paths import cache_dir


@dataclass(frozen=True, slots=True)
class Template:
    """A closed store with a graph in it.

    Attributes:
        directory: Has the store and a description beside it; readable by its owner only.
    """

    directory: Path

    @property
    def password(self) -> str:
        """The password in the store, to be changed in every copy."""
        value: str = json.loads((self.directory / "template.json").read_text())["password"]
        return value


def template(graph_fingerprint: str, engine: str, build: Callable[[Path], str]) -> Template:
    """Return the store for a graph, built if there is none yet.

    Args:
        engine: Names the servers that can open it.
        build: Given an empty folder, leaves a closed store there and returns its password.
    """
    stores = cache_dir() / "stores"
    stores.mkdir(exist_ok=True)
    place = stores / f"{engine}-{_key(graph_fingerprint)}"
    if not place.exists():
        with FileLock(f"{place}.lock"):
            if not place.exists():
                _build(place, graph_fingerprint, build)
    return Template(place)


def _build(place: Path, graph_fingerprint: str, build: Callable[[Path], str]) -> None:
    # Renamed when complete: a store that is there is whole. What a killed session left is cleared away.
    staging = place.with_name(f"{place.name}.new")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o700)
    try:
        password = build(staging)
        description = staging / "template.json"
        description.touch(0o600)
        description.write_text(json.dumps({"fingerprint": graph_fingerprint, "password": password}))
        staging.rename(place)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _key(graph_fingerprint: str) -> str:
    """Name the graph and the code that loads it: a changed index is another store."""
    digest = hashlib.sha256(graph_fingerprint.encode())
    digest.update((Path(__file__).parents[1] / "graph" / "loading.py").read_bytes())
    return digest.hexdigest()[:16]
