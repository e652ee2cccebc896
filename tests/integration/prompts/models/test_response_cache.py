"""Many processes at one cache: real ones, some of them killed."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from retrocypher.prompts.models.cache_files import prepare
from retrocypher.prompts.models.response_cache import open_cache

WRITER = Path(__file__).with_name("cache_writer.py")
TESTS = WRITER.parents[3]


class Writer:
    """A process that keeps answers."""

    def __init__(self, file: Path, name: str, count: int) -> None:
        paths = os.pathsep.join((str(TESTS), str(TESTS.parent / "src")))
        self._process = subprocess.Popen(
            [sys.executable, str(WRITER), str(file), name, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": paths},
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def go(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def next_key(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def kill(self) -> list[str]:
        """Kill it without warning and return the keys it had told."""
        self._process.send_signal(signal.SIGKILL)
        said, _ = self._process.communicate()
        return [line for line in said.splitlines() if len(line) == 64]

    def finish(self) -> list[str]:
        said, complained = self._process.communicate(timeout=120)
        assert self._process.returncode == 0, complained
        return said.splitlines()


def test_many_write_at_once_to_a_cache_that_is_not_there_yet(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    processes = [Writer(file, f"w{number}", 40) for number in range(8)]
    for writer in processes:
        writer.go()
    found = [key for writer in processes for key in writer.finish()]
    assert len(set(found)) == 8 * 40
    # What they share is there once, as the first of them said it.
    assert prepare(file) == 8 * 40 + 40
    with open_cache(file) as store:
        assert all(store.get(key) for key in found)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_writer_that_is_killed_takes_nothing_along(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    victim, other = Writer(file, "victim", 0), Writer(file, "other", 90)
    victim.go()
    found = [victim.next_key()]
    other.go()
    other_keys = [other.next_key()]
    found += victim.kill()
    other_keys += other.finish()
    with open_cache(file) as store:
        assert all(store.get(key) for key in (*found, *other_keys))
    assert prepare(file) >= len(found) + len(other_keys)
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
