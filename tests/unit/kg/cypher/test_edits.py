"""Edits by offset, string literals, and masking."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrocypher.kg.cypher.edits import Edit, apply_edits, quote, string_literals
from retrocypher.kg.cypher.parser import parse

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


@given(st.data())
def test_edits_change_their_places_and_nothing_else(data: st.DataObject) -> None:
    text = data.draw(st.text(max_size=40))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    words = data.draw(st.lists(st.text(max_size=4), min_size=len(pairs), max_size=len(pairs)))
    edits = [Edit(*pair, word) for pair, word in zip(pairs, words, strict=True)]
    expected, shift = text, 0
    for (start, stop), word in zip(pairs, words, strict=True):
        expected = expected[: start + shift] + word + expected[stop + shift :]
        shift += len(word) - (stop - start)
    assert apply_edits(text, edits) == expected


def test_order_of_edits_does_not_matter_but_that_of_insertions_at_one_place_does() -> None:
    edits = [Edit(2, 3, "X"), Edit(0, 1, "Y"), Edit(2, 2, "1"), Edit(2, 2, "2")]
    assert apply_edits("abc", edits) == "Yb12X"


@pytest.mark.parametrize(
    "edits", [[Edit(0, 2, ""), Edit(1, 3, "")], [Edit(2, 4, "")], [Edit(-1, 0, "")], [Edit(2, 1, "")]]
)
def test_edits_that_cannot_be_made_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply_edits("abc", edits)


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
