"""The tables of the grammar: read from the jar, kept, and refused where they are damaged."""

import io
import json
import zipfile
from pathlib import Path
from types import SimpleNamespace

import jgo.config
import jgo.maven
import pytest

from retrocypher.kg.cypher import grammar as _tables
from retrocypher.kg.cypher.grammar import (
    ARTIFACT,
    GRAMMAR_VERSION,
    GrammarTables,
    jar_bytes,
    load_tables,
    read_class,
    read_jar,
)
from retrocypher.kg.errors import GraphError


@pytest.fixture(scope="module")
def real_tables() -> GrammarTables:
    return load_tables()


@pytest.fixture
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an empty cache and an empty Maven repository."""
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path / "cache"))
    settings = SimpleNamespace(repo_cache=tmp_path / "repository")
    monkeypatch.setattr(jgo.config.GlobalSettings, "load", lambda: settings)
    return tmp_path


def no_network(self: object, group: str, artifact: str) -> None:
    raise RuntimeError("connection refused\nby a host")


@pytest.mark.parametrize("damage", ["", "{", '{"lexer": {}}', '{"lexer": 1, "parser": 2}', "[]"])
def test_the_jar_is_read_once_and_again_where_the_cache_is_damaged(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch, real_tables: GrammarTables, damage: str
) -> None:
    reads: list[bytes] = []
    monkeypatch.setattr(_tables, "jar_bytes", lambda: b"jar")
    monkeypatch.setattr(_tables, "read_jar", lambda content: reads.append(content) or real_tables)
    assert load_tables() == real_tables
    assert load_tables() == real_tables
    assert reads == [b"jar"]
    (stored,) = (bare_machine / "cache" / "cypher-grammar").glob("*.json")
    stored.write_text(damage)
    assert load_tables() == real_tables
    assert reads == [b"jar", b"jar"]
    assert json.loads(stored.read_text())["parser"]["rules"] == real_tables.parser.rules
    assert not list(stored.parent.glob("*.tmp"))


def test_a_jar_that_cannot_be_had_gives_one_clear_message(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jgo.maven.MavenContext, "project", no_network)
    with pytest.raises(GraphError) as caught:
        load_tables()
    message = str(caught.value)
    assert "connection refused." in message
    assert "by a host" not in message
    assert f"put {ARTIFACT}-{GRAMMAR_VERSION}.jar into {bare_machine / 'cache'}" in message


@pytest.mark.parametrize("where", ["repository", "cache/maven"])
def test_a_jar_with_other_content_is_not_read(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    folder = bare_machine / where / "org" / "neo4j" / ARTIFACT / GRAMMAR_VERSION
    folder.mkdir(parents=True)
    (folder / f"{ARTIFACT}-{GRAMMAR_VERSION}.jar").write_bytes(b"another jar")
    monkeypatch.setattr(jgo.maven.MavenContext, "project", no_network)
    with pytest.raises(GraphError, match="could not be fetched"):
        jar_bytes()


def test_a_download_with_other_content_is_refused(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bare_machine / "download.jar"
    path.write_bytes(b"a login page")
    component = SimpleNamespace(artifact=lambda: SimpleNamespace(resolve=lambda: path))
    project = SimpleNamespace(at_version=lambda version: component)
    monkeypatch.setattr(jgo.maven.MavenContext, "project", lambda self, group, artifact: project)
    with pytest.raises(GraphError, match="not the released file"):
        jar_bytes()


def archive(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as jar:
        for name, content in files.items():
            jar.writestr(f"org/neo4j/cypher/internal/parser/v5/{name}.class", content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"no archive",
        archive(),
        archive(Cypher5Lexer=b"no class", Cypher5Parser=b""),
        archive(Cypher5Lexer=b"\xca\xfe\xba\xbe\0\0\0\x3d\0\x02\x63"),
        archive(Cypher5Lexer=b"\xca\xfe\xba\xbe\0\0\0\x3d\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
    ],
)
def test_a_jar_without_the_recognizers_is_refused(content: bytes) -> None:
    with pytest.raises(GraphError, match="cannot be read"):
        read_jar(content)


def test_other_bytes_are_no_class_file() -> None:
    with pytest.raises(ValueError, match="not a Java class file"):
        read_class(b"PK\x03\x04")


def test_names_and_network_belong_together(real_tables: GrammarTables) -> None:
    assert {"statements", "nodePattern", "relationshipPattern"} <= set(real_tables.parser.rules)
    assert real_tables.parser.symbols[1:] == real_tables.lexer.symbols[1:]
    assert (real_tables.lexer.atn[0], real_tables.parser.atn[0]) == (4, 4)
