"""Passages found for a question and its rows by words."""

from typing import Any

import pytest
from support.passages import Shelf

from retrocypher.prompts.answering.passages import WordSearch, named

NODE = {"$node": {"id": "4:x:17", "labels": ["Reaction"], "properties": {"id": 17}}}


@pytest.mark.parametrize(
    ("columns", "row", "molecules", "reactions"),
    [
        (["r.id"], [5], (), (5,)),
        (["reactionIds"], [[5, 6]], (), ()),
        (["reaction_ids"], [[5, 6, 5]], (), (5, 6)),
        (["route"], [[5, 6]], (), (5, 6)),
        (["count", "width"], [5, 7], (), ()),
        (["id"], [True], (), ()),
        (["id"], [5.0], (), ()),
        (
            ["m"],
            [{"$node": {"id": "4:x:1", "labels": ["Molecule"], "properties": {"name": "CCO"}}}],
            ("CCO",),
            (),
        ),
        (["r"], [NODE], (), (17,)),
        (["x"], [[["CCO"], None, "CCO"]], ("CCO",), ()),
    ],
)
def test_what_rows_name(
    columns: list[str], row: list[Any], molecules: tuple[str, ...], reactions: tuple[int, ...]
) -> None:
    asked = named("What is made?", columns, [row])
    assert (asked.molecules, asked.reactions) == (molecules, reactions)


def test_what_a_question_names() -> None:
    asked = named("Which reactions make CC(=O)O from CCO, please?", [], [])
    assert asked.words == ("which", "reactions", "make", "from", "cco", "please")
    assert asked.molecules == ("CC(=O)O", "CCO")


def test_words_give_scores_below_one() -> None:
    shelf = Shelf("one", "two")
    found = WordSearch(shelf, 2)("Which make CCO?", ["r.id"], [[5]])  # type: ignore[arg-type]
    assert [each.score for each in found] == [0.5, pytest.approx(1 / 3)]
    assert shelf.asked == (("which", "make", "cco"), ("CCO",), (5,), 2)
