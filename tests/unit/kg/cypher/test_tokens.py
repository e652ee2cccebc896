"""Tokens: the lexer against that of the ANTLR runtime, and the tables of the grammar from the jar."""

import io
import json
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace

import jgo.config
import jgo.maven
import pytest
from antlr4 import CommonTokenStream, InputStream, Lexer
from antlr4.atn.ATNDeserializer import ATNDeserializer
from antlr4.atn.LexerATNSimulator import LexerATNSimulator
from antlr4.dfa.DFA import DFA
from antlr4.PredictionContext import PredictionContextCache
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from retrocypher.kg.cypher import grammar as _tables
from retrocypher.kg.cypher.grammar import (
    ARTIFACT,
    GRAMMAR_VERSION,
    GrammarTables,
    RecognizerTables,
    jar_bytes,
    load_tables,
    read_jar,
)
from retrocypher.kg.cypher.tokens import TokenKind, TokenReader, token_reader, tokens
from retrocypher.kg.errors import GraphError

FRAGMENTS = [
    *("MATCH", "return ", "yield", "allShortestPaths", "e", "E", "x", "_", "é", "中", "😀", "\u00b7"),
    "\u0660",
    *("'", '"', "`", "\\", "\\'", "//", "/*", "*/", "\n", " ", "\t", "\u2028", "\u00a0"),
    *("1", "0", "0x", "1e", ".5", ".", "..", "-", "+", "+=", "<", ">", "<>", "<=", "=", "=~", "!=", "!"),
    *("~", "#"),
    *("(", ")", "[", "]", "{", "}", "|", "||", "&", "%", "^", ":", "::", "$", ",", ";", "?", "@", "/"),
    *("*", "⟨", "—"),
    *("CC(=O)O", "F/C=C\\F", "[O-][N+](=O)c1", "C#N"),
]
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=2), max_size=30).map("".join)

ATN = ATNDeserializer().deserialize(load_tables().lexer.atn)
DECISIONS = [DFA(state, number) for number, state in enumerate(ATN.decisionToState)]


class ReferenceLexer(Lexer):
    """The lexer of the ANTLR runtime on the same tables."""

    def __init__(self, text: str) -> None:
        super().__init__(InputStream(text))
        self._interp = LexerATNSimulator(self, ATN, DECISIONS, PredictionContextCache())


def reference(text: str) -> list[tuple[int, int]]:
    stream = CommonTokenStream(ReferenceLexer(text))
    stream.fill()
    return [(token.type, token.stop + 1) for token in stream.tokens[:-1]]


@examples(300)
@given(TEXTS)
def test_agrees_with_the_lexer_of_the_antlr_runtime(text: str) -> None:
    assert token_reader().lexer.scan(text) == reference(text)


@given(TEXTS)
def test_tokens_are_in_order_and_only_space_and_comments_lie_between(text: str) -> None:
    found = tokens(text)
    position = 0
    for token in found:
        assert position <= token.start < token.stop
        assert token.text == text[token.start : token.stop]
        assert tokens(text[position : token.start]) == []
        position = token.stop
    assert tokens(text[position:]) == []


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("MATCH", [TokenKind.KEYWORD]),
        ("yield", [TokenKind.KEYWORD]),
        ("molecule `a b`", [TokenKind.IDENTIFIER, TokenKind.IDENTIFIER]),
        ("1 1.5 0x1f 0o7", [TokenKind.NUMBER] * 4),
        ("-> <> =~", [TokenKind.SYMBOL] * 4),
        ("'C(=O)[O-]' \"#\"", [TokenKind.STRING, TokenKind.STRING]),
        ("'open", [TokenKind.ERROR, TokenKind.IDENTIFIER]),
        ("# ~", [TokenKind.ERROR, TokenKind.ERROR]),
        ("/* 'a' */ // b", []),
        ("", []),
    ],
)
def test_kinds(text: str, kinds: list[TokenKind]) -> None:
    assert [token.kind for token in tokens(text)] == kinds


def test_a_grammar_without_a_token_that_is_looked_up_is_refused() -> None:
    tables = load_tables().lexer
    renamed = ["NAME2" if symbol == "IDENTIFIER" else symbol for symbol in tables.symbols]
    with pytest.raises(GraphError, match="no token IDENTIFIER"):
        TokenReader(RecognizerTables(tables.atn, tables.rules, tables.literals, renamed))


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


@pytest.mark.parametrize(
    "text",
    ["'" + "\\'" * 40_000, "/*a" * 40_000, "中\ufffd" * 40_000, "\U0001f600" * 80_000, '"\\"' * 30_000],
    ids=["string", "comment", "script", "emoji", "strings"],
)
def test_time_grows_with_the_length_alone(text: str) -> None:
    token_reader().read.cache_clear()
    started = time.process_time()
    found = tokens(text)
    # A lexer that reads the rest of the text anew at each token takes minutes.
    assert time.process_time() - started < 10
    assert "".join(token.text for token in found) == text
