import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrocypher.kg.cypher.edits import mask_literals, quote, string_literals, unmask
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.cypher.tokens import tokens

SMILES = st.text(alphabet="CNOFSPcnos()[]=#@+-\\/.%123456789BrlH:*$~'\"`u0041{}", max_size=40)
ANY_TEXT = st.text(max_size=40) | SMILES
QUERY_PARTS = st.lists(
    st.sampled_from(
        ["MATCH (n {name: ", "}) ", "RETURN ", " // 'c'\n", '/* "x" */', "'", '"', "`'`", "\\", "\\u0027"]
    )
    | ANY_TEXT.map(quote)
    | st.text(max_size=3),
    max_size=12,
).map("".join)


@given(ANY_TEXT)
@example(r"F/C=C\F")
@example("\\")
@example(r"\u0041")
@example("\ud800")
@example("'; MATCH (n) DETACH DELETE n //")
def test_a_quoted_string_is_one_literal_of_the_same_value(value: str) -> None:
    raw = quote(value)
    (literal,) = string_literals(raw)
    assert (literal.value, literal.raw, literal.start, literal.stop) == (value, raw, 0, len(raw))
    assert parse(f"RETURN {raw} AS x").errors == ()


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("'it\\'s'", "it's"),
        ('"it\'s"', "it's"),
        (r"'a\tb\nc\rd\be\ff\\'", "a\tb\nc\rd\be\ff\\"),
        (r"'\d and \/'", r"\d and \/"),
        (r"'\u0041'", "A"),
        (r"'\\u0041'", r"\u0041"),
        (r"'\u005cn'", "\n"),
        (r"'\uD83D\uDE00'", "😀"),
        (r"\u0027C\u0027", "C"),
    ],
)
def test_decodes_as_the_server_does(raw: str, value: str) -> None:
    assert [literal.value for literal in string_literals(f"RETURN {raw} AS x")] == [value]


def test_quotes_in_comments_and_names_are_no_literals() -> None:
    text = "MATCH (n:`it's`) // it's\nRETURN n /* 'x' */, 'y'"
    assert [literal.value for literal in string_literals(text)] == ["y"]


@given(QUERY_PARTS)
def test_mask_and_unmask_give_the_text_back(text: str) -> None:
    masked = mask_literals(text)
    assert unmask(*masked) == text
    assert [token.kind for token in tokens(masked.text)] == [token.kind for token in tokens(text)]
    assert len(masked.literals) == len(string_literals(text))


def test_unmask_works_on_changed_text() -> None:
    masked = mask_literals("MATCH (a {name: 'C#N'})-->(b {name: \"F/C=C\\\\F\"}) RETURN a")
    first, second = masked.literals
    assert unmask(f"RETURN {second}, {first}, {second}, 'new'", masked.literals) == (
        "RETURN \"F/C=C\\\\F\", 'C#N', \"F/C=C\\\\F\", 'new'"
    )
