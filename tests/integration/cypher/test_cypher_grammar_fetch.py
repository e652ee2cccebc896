"""The grammar, fetched into an empty cache."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import jgo.config
import pytest

from retrocypher.kg.cypher.grammar import jar_bytes, load_tables, read_jar


def test_fetches_the_released_jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = load_tables()
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setattr(
        jgo.config.GlobalSettings, "load", lambda: SimpleNamespace(repo_cache=tmp_path / "none")
    )
    assert read_jar(jar_bytes()) == known
    assert list(tmp_path.iterdir()) == []


def test_many_processes_start_on_an_empty_cache(tmp_path: Path) -> None:
    program = "from retrocypher.kg.cypher.parser import parse; print(len(parse('MATCH (n) RETURN n').errors))"
    environment = {**os.environ, "RETROCYPHER_CACHE": str(tmp_path), "PATH": ""}
    started = [
        subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    assert [(process.communicate(timeout=120)[0], process.returncode) for process in started] == [
        ("0\n", 0)
    ] * 6
    assert len(list((tmp_path / "cypher-grammar").glob("*.json"))) == 1
