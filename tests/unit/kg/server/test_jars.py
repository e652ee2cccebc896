"""The jars of the server: fetched once, and compared with the lock file."""

import hashlib
import http.server
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import jgo.constants
import pytest

from retrocypher.kg.server import release as jars
from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.release import NEO4J_VERSION, class_path, locked_jars

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
    repository: tuple[Path, str], locked: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    locked(repository[1])
    said: list[str] = []
    paths = class_path(said.append)
    assert [path.read_bytes() for path in paths] == [path.encode() for path in PATHS]
    assert len(said) == 1
    locked("http://127.0.0.1:9")
    assert class_path(pytest.fail) == paths


def test_a_jar_that_differs_is_not_kept(
    repository: tuple[Path, str], locked: Callable[[str], None], tmp_path: Path
) -> None:
    (repository[0] / PATHS[1]).write_bytes(b"another")
    locked(repository[1])
    with pytest.raises(ServerError, match=r"org\.b:b:2:linux as fetched is not the file"):
        class_path(print)
    assert not (tmp_path / "cache" / "jars" / PATHS[1]).exists()


def test_jars_that_are_out_of_reach_or_lacking_are_one_message(
    repository: tuple[Path, str], locked: Callable[[str], None]
) -> None:
    (repository[0] / PATHS[0]).unlink()
    for address in ("http://127.0.0.1:9", repository[1]):
        locked(address)
        with pytest.raises(ServerError, match=r"cannot be fetched from Maven Central.*--graph bolt://"):
            class_path(print)
