"""Private folders of servers and sessions, and loaded stores, built once and copied."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from retrocypher.kg.server.control import UNHELD_S, hold, private_directory, session_folder
from retrocypher.kg.server.engine import loaded_store

OWNER = """
import time
from retrocypher.kg.server.control import session_folder
folder = session_folder()
(folder.path / "turnstile.lock").touch()
print(folder.path, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    short = Path(tempfile.mkdtemp(dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(short))
    monkeypatch.setenv("TMPDIR", str(short))
    yield short
    shutil.rmtree(short, ignore_errors=True)


def test_a_private_folder_goes_when_its_supervisor_is_gone_or_it_was_never_held_and_is_old(
    temporary: Path,
) -> None:
    gone, held, young, old = (private_directory() for _ in range(4))
    assert stat.S_IMODE(gone.stat().st_mode) == 0o700
    os.close(hold(gone))
    lock = hold(held)
    foreign = temporary / "retrocypher-server-of-mine"
    foreign.mkdir()
    for folder in (old, foreign):
        long_ago = folder.stat().st_mtime - 2 * UNHELD_S
        os.utime(folder, (long_ago, long_ago))
    new = private_directory()
    assert [folder.exists() for folder in (held, young, new, foreign, gone, old)] == [True] * 4 + [False] * 2
    os.close(lock)


def test_a_control_socket_has_a_path_that_fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("x" * 100)))
    folder = private_directory()
    assert len(str(folder / "control")) < 100
    folder.joinpath("supervisor.log").unlink()
    folder.rmdir()


def test_the_folder_of_a_session_that_was_killed_is_cleared_away_by_the_next(temporary: Path) -> None:
    foreign = temporary / "retrocypher-session-of-mine"
    foreign.mkdir()
    with subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout
        left = Path(owner.stdout.readline().strip())
        live = session_folder()
        assert left.exists()
        os.kill(owner.pid, signal.SIGKILL)
    following = session_folder()
    assert not left.exists()
    assert foreign.exists()
    assert stat.S_IMODE(live.path.stat().st_mode) == 0o700
    for folder in (live, following, live):
        folder.remove()
        assert not folder.path.exists()


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
