"""Caches that cannot be used: one clear error each, with the file and what to do."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from support.answers import kept

from retrocypher.prompts.models.cache_files import prepare
from retrocypher.prompts.models.response_cache import SCHEMA_VERSION, AnswerCacheError, open_answers


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A cache with enough in it to be damaged in many places."""
    path = tmp_path / "answers.sqlite"
    with open_answers(path) as store:
        for number in range(200):
            store.put(kept(f"question {number}"))
    return path


def refused(file: Path, *said: str, read_only: bool = False) -> None:
    with pytest.raises(AnswerCacheError) as caught:
        prepare(file, read_only=read_only)
    message = str(caught.value)
    assert "\n" not in message
    for part in (f"the answer cache {file} ", "--cache FILE", "--cache none", *said):
        assert part in message


@pytest.mark.parametrize("read_only", [False, True])
def test_no_database(file: Path, read_only: bool) -> None:
    file.write_text("question,answer\n" * 100)
    refused(file, "is no SQLite database", "Move it away", read_only=read_only)


def test_a_truncated_cache(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    refused(file, "is damaged", "Move it away and import an export of it")


def test_a_cache_damaged_within(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[8192:] = b"\x5a" * (len(content) - 8192)
    file.write_bytes(content)
    refused(file, "is damaged")


def test_a_newer_version(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    refused(file, "newer version (schema 2, this one reads 1)", "Use that version")
    refused(file, "newer version", read_only=True)


def test_another_programs_database(tmp_path: Path) -> None:
    file = tmp_path / "history.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE visits (url TEXT)")
    before = file.read_bytes()
    refused(file, "is the database of another program")
    assert file.read_bytes() == before


def test_a_folder(tmp_path: Path) -> None:
    refused(tmp_path, "cannot be opened")


def test_a_file_in_the_way_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    refused(tmp_path / "a" / "answers.sqlite", "cannot be opened")


def test_nothing_to_read(tmp_path: Path) -> None:
    refused(tmp_path / "answers.sqlite", "is not there", read_only=True)
    (tmp_path / "answers.sqlite").touch()
    refused(tmp_path / "answers.sqlite", "holds nothing", read_only=True)


def test_a_locked_cache(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrocypher.prompts.models.response_cache._BUSY_S", 0.1)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused(file, "is locked by another program")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MiB."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk(small_disk: Path) -> None:
    (small_disk / "filler").write_bytes(b"x" * 1_040_000)
    refused(small_disk / "answers.sqlite", "the disk is full", "Make room")


def test_a_read_only_file_system(small_disk: Path) -> None:
    file = small_disk / "answers.sqlite"
    with open_answers(file) as store:
        store.put(kept())
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    refused(file, "cannot be written to", "Make file and folder writable")
    assert prepare(file, read_only=True) == 1
    with open_answers(file, read_only=True) as store:
        assert store.get(kept().key) == kept()


_AS_NOBODY = """
import os, sys
from pathlib import Path
from retrocypher.prompts.models.response_cache import AnswerCacheError
from retrocypher.prompts.models.cache_files import prepare
if os.geteuid() == 0:
    os.setuid(65534)
try:
    prepare(Path(sys.argv[1]))
except AnswerCacheError as error:
    print(error)
"""


def test_a_file_without_the_right_to_write(tmp_path: Path, file: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    file.chmod(0o444)
    said = subprocess.run(
        [sys.executable, "-c", _AS_NOBODY, str(file)], capture_output=True, text=True, check=True
    )
    assert f"the answer cache {file} cannot be written to" in said.stdout
