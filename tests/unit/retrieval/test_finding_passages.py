"""Passages found for a question and its rows, by words and by vectors."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kg.errors import InputError
from kg.passages import Passage
from prompts.encoders import Vectors
from prompts.retrieval import (
    VectorSearch,
    WordSearch,
    build_passage_vectors,
    named,
    read_passage_vectors,
    vectors_file,
)

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


class Shelf:
    """Passages that note how they were asked."""

    def __init__(self, *texts: str) -> None:
        self._all = [Passage(number, text, "a", number) for number, text in enumerate(texts, 1)]
        self.asked: tuple[Any, ...] = ()

    def __iter__(self) -> Iterator[Passage]:
        return iter(self._all)

    def matching(self, *asked: Any) -> list[tuple[Passage, float]]:
        self.asked = asked
        return [(each, 10.0 / number) for number, each in enumerate(self._all, 1)]


def test_words_give_scores_below_one() -> None:
    shelf = Shelf("one", "two")
    found = WordSearch(shelf, 2)("Which make CCO?", ["r.id"], [[5]])  # type: ignore[arg-type]
    assert [each.score for each in found] == [0.5, pytest.approx(1 / 3)]
    assert shelf.asked == (("which", "make", "cco"), ("CCO",), (5,), 2)


class Letters:
    """Counts the letters a and b, and how many texts it was asked for."""

    name = "letters"

    def __init__(self) -> None:
        self.asked = 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.asked += len(texts)
        counts = np.array([[text.count("a"), text.count("b")] for text in texts], dtype=np.float32)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1)


def test_vectors_give_cosines() -> None:
    shelf, encoder = Shelf("ab", "aaa", "bbb", "none"), Letters()
    search = VectorSearch(shelf, encoder.encode([each.text for each in shelf]), encoder, 3)  # type: ignore[arg-type]
    found = search("aa", [], [])
    assert [(each.passage.text, each.score) for each in found] == [
        ("aaa", 1.0),
        ("ab", pytest.approx(0.5**0.5)),
    ]


def test_vectors_must_be_of_the_passages() -> None:
    with pytest.raises(InputError, match="1 vectors for 2 passages"):
        VectorSearch(Shelf("a", "b"), np.ones((1, 2), np.float32), Letters(), 1)  # type: ignore[arg-type]


def test_vectors_that_were_begun_are_gone_on_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    shelf, encoder = Shelf(*["ab"] * 130), Letters()
    with pytest.raises(InputError, match="passages build --vectors"):
        read_passage_vectors(encoder.name)

    def stop(done: int, of: int) -> None:
        assert of == 130
        if done == 128:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_passage_vectors(shelf, encoder, stop)  # type: ignore[arg-type]
    file = build_passage_vectors(shelf, encoder)  # type: ignore[arg-type]
    assert encoder.asked == 130
    assert file == vectors_file(encoder.name)
    assert read_passage_vectors(encoder.name).shape == (130, 2)
    assert [each.suffix for each in file.parent.iterdir()] == [".npy"]
