"""Passages cut into chunks."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retrocypher.prompts.answering.passages import chunks_of


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("", []),
        (" \n ", []),
        ("Stirred.", ["Stirred."]),
        ("One two. Three.", ["One two.", "Three."]),
        ("One. Two. Six.", ["One. Two.", "Six."]),
        ("At 3.5 g it", ["At 3.5 g", "it"]),
        ("one two three four", ["one two", "three four"]),
        ("1,2,3-tribromobenzene", ["1,2,3-trib", "romobenzen", "e"]),
        ("a\nb", ["a b"]),
        ("one  two  three", ["one  two", "three"]),
        ("one two   three", ["one two", "three"]),
        ("onetwothr\tsix", ["onetwothr", "six"]),
    ],
)
def test_sentences_stay_together_where_they_fit(text: str, chunks: list[str]) -> None:
    assert chunks_of(text, longest=10) == chunks


@given(st.text(st.sampled_from("ab .\n\t;"), max_size=80), st.integers(1, 30))
@example("a  ;", 2)
def test_nothing_is_lost_and_nothing_is_longer(text: str, most: int) -> None:
    chunks = chunks_of(text, most)
    assert "".join("".join(chunks).split()) == "".join(text.split())
    assert all(0 < len(chunk) <= most and chunk == chunk.strip() for chunk in chunks)
