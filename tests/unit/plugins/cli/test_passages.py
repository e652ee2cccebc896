"""``retrocypher passages build``."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import Passage
from retrocypher.plugins.cli import build as _passages
from retrocypher.plugins.cli.main import cli


class Encoder:
    name = "tiny"

    def encode(self, texts: list[str]) -> Any:
        return np.ones((len(texts), 2), np.float32)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    @contextmanager
    def opened(file: Path) -> Iterator[list[Passage]]:
        yield [Passage(1, "It was stirred.", "a", 1), Passage(2, "It was dried.", "a", 2)]

    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setattr(_passages, "build_passages", lambda: tmp_path / "p.sqlite")
    monkeypatch.setattr(_passages, "open_passages", opened)
    return tmp_path


def test_texts_alone(here: Path) -> None:
    done = CliRunner().invoke(cli, ["passages", "build", "--json"], catch_exceptions=False)
    file = str(here / "p.sqlite")
    assert json.loads(done.stdout) == {"passages": 2, "file": file, "encoder": None, "vectors": None}
    said = CliRunner().invoke(cli, ["passages", "build"], catch_exceptions=False).stdout
    assert said.splitlines() == [f"2 passages in {file}"]


def test_vectors_too(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_passages, "load_encoder", lambda name: Encoder())
    asked = ["passages", "build", "--vectors", "--encoder", "tiny", "--json"]
    done = CliRunner().invoke(cli, asked, catch_exceptions=False)
    told = json.loads(done.stdout)
    assert told["encoder"] == "tiny"
    assert np.load(told["vectors"])["vectors"].shape == (2, 2)
    assert "2 of 2 vectors" in done.stderr


def test_without_the_extra_nothing_is_begun(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrocypher.prompts.templates.encoder.extra_installed", lambda: False)
    done = CliRunner().invoke(cli, ["passages", "build", "--vectors"])
    assert isinstance(done.exception, InputError)
    assert "pip install -e '.[semantic]'" in str(done.exception)
