import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.cypher.edits import Edit, apply_edits


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
