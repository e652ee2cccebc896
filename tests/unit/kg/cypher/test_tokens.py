"""Tokens: the lexer against that of the ANTLR runtime, and what tokens say."""

import pytest
from antlr4 import CommonTokenStream, InputStream, Lexer
from antlr4.atn.ATNDeserializer import ATNDeserializer
from antlr4.atn.LexerATNSimulator import LexerATNSimulator
from antlr4.dfa.DFA import DFA
from antlr4.PredictionContext import PredictionContextCache
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples

from retrocypher.kg.cypher.grammar import RecognizerTables, load_tables
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


def test_a_unicode_escape_is_read_before_tokens_are_cut() -> None:
    found = tokens(r"RETURN \u0027C\u0027, '\uD83D\uDE00', '\\u0041'")
    strings = [token for token in found if token.kind is TokenKind.STRING]
    assert [token.text for token in strings] == [r"\u0027C\u0027", r"'\uD83D\uDE00'", r"'\\u0041'"]


def test_a_grammar_without_a_token_that_is_looked_up_is_refused() -> None:
    tables = load_tables().lexer
    renamed = ["NAME2" if symbol == "IDENTIFIER" else symbol for symbol in tables.symbols]
    with pytest.raises(GraphError, match="no token IDENTIFIER"):
        TokenReader(RecognizerTables(tables.atn, tables.rules, tables.literals, renamed))
