"""Loaded stores, built once and copied."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from retrocypher.kg.server.engine import loaded_store


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))


def test_a_store_is_built_once_for_all_who_ask_at_once() -> None:
    built = []

    def build(home: Path) -> str:
        built.append(home)
        (home / "data").mkdir()
        return "secret"

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: loaded_store("graph", "5", build), range(4)))
    assert len(built) == 1
    kept = loaded_store("graph", "5", pytest.fail)
    assert kept.password == "secret"
    assert stat.S_IMODE(kept.directory.stat().st_mode) == 0o700
    assert stat.S_IMODE((kept.directory / "template.json").stat().st_mode) == 0o600


def test_graphs_and_servers_have_stores_of_their_own() -> None:
    asked = [("a", "5"), ("b", "5"), ("a", "docker-1")]
    assert len({loaded_store(graph, server, lambda _: "").directory for graph, server in asked}) == 3


def test_a_store_that_was_not_finished_is_not_kept(tmp_path: Path) -> None:
    def fail(home: Path) -> str:
        (home / "half").touch()
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        loaded_store("graph", "5", fail)
    assert [path for path in (tmp_path / "stores").iterdir() if path.is_dir()] == []
    assert loaded_store("graph", "5", lambda _: "whole").password == "whole"
