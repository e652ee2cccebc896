"""Passages in chunks, and found by words or vectors."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.passages import Letters, Shelf

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import Passages
from retrocypher.prompts.answering.passages import (
    PassageIndex,
    VectorSearch,
    WordSearch,
    build_index,
    chunks_of,
    index_file,
    mentions_in,
    read_index,
)
from retrocypher.prompts.templates.encoder import Vectors


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


MOLECULE = {"$node": {"id": "4:x:1", "labels": ["Molecule"], "properties": {"name": "CCO"}}}
REACTION = {"$node": {"id": "4:x:17", "labels": ["Reaction"], "properties": {"id": 17}}}


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
        (["m", "r"], [MOLECULE, REACTION], ("CCO",), (17,)),
        (["x"], [[["CCO"], None, "CCO"]], ("CCO",), ()),
    ],
)
def test_what_rows_name(
    columns: list[str], row: list[Any], molecules: tuple[str, ...], reactions: tuple[int, ...]
) -> None:
    asked = mentions_in("What is made?", columns, [row])
    assert (asked.molecules, asked.reactions) == (molecules, reactions)


def test_what_a_question_names() -> None:
    asked = mentions_in("Which reactions make CC(=O)O from CCO, please?", [], [])
    assert asked.words == ("which", "reactions", "make", "from", "cco", "please")
    assert asked.molecules == ("CC(=O)O", "CCO")


def test_words_give_scores_below_one() -> None:
    shelf = Shelf("one", "two")
    found = WordSearch(shelf, 2)("Which make CCO?", ["r.id"], [[5]])  # type: ignore[arg-type]
    assert [each.score for each in found] == [0.5, pytest.approx(1 / 3)]
    assert shelf.asked == (("which", "make", "cco"), ("CCO",), (5,), 2)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))


def shelf(*texts: str, **molecules: tuple[int, ...]) -> Passages:
    return Shelf(*texts, molecules=molecules)  # type: ignore[return-value]


def indexed(passages: Passages, encoder: Letters) -> PassageIndex:
    build_index(passages, encoder)
    return read_index(encoder.name)


LONG = f"{'b' * 500}. {'a' * 500}. {'a' * 400}b."
HALF = pytest.approx(0.5**0.5)
ONE = pytest.approx(1.0)


@pytest.mark.parametrize(
    ("texts", "weights", "question", "reactions", "found"),
    [
        (("ab", "aaa", "bbb", "none"), (1.0, 0.0), "aa", [], [(2, ONE), (1, HALF)]),
        # Words are near a passage by its nearest chunk, molecules by the whole passage.
        (("ab", LONG), (1.0, 0.0), "a", [], [(2, ONE), (1, HALF)]),
        (("ab", LONG.rpartition(" ")[0], "aaa"), (1.3, 0.0), "CCO", [], [(1, ONE), (2, ONE), (3, HALF)]),
        # What rows name counts by its weight.
        (
            ("aaa", "ab", "bbb"),
            (0.6, 0.4),
            "a",
            [[3], [2]],
            [(2, pytest.approx(0.6 * 0.5**0.5 + 0.4)), (1, pytest.approx(0.6)), (3, pytest.approx(0.4))],
        ),
        (("aaa", "ab", "bbb"), (0.0, 1.0), "a", [[3]], [(3, ONE)]),
    ],
)
def test_passages_in_the_order_of_their_cosines(
    texts: tuple[str, ...],
    weights: tuple[float, float],
    question: str,
    reactions: list[Any],
    found: list[Any],
) -> None:
    passages, encoder = shelf(*texts, CCO=(1,)), Letters()
    search = VectorSearch(passages, indexed(passages, encoder), encoder, 3, weights)
    got = search(question, ["r.id"], reactions)
    assert [(each.passage.reaction, each.score) for each in got] == found


def test_a_molecule_stands_as_the_passages_of_its_reactions() -> None:
    class Told(Letters):
        texts: ClassVar[list[str]] = []

        def encode(self, texts: Sequence[str]) -> Vectors:
            self.texts += texts
            return super().encode(texts)

    passages, encoder = shelf("aaa", "ab", "bbb", CCO=(3,), CCN=(1, 2, 3), C=(1,), O=(2,)), Told()
    search = VectorSearch(passages, indexed(passages, encoder), encoder, 3, (1.0, 0.0))
    assert search("What of (CCO)?", [], [])[0].passage.reaction == 1
    assert encoder.texts[-1] == "What of (CCO)?"
    found = search("What makes CCO of a, and not CCX?", [], [])
    assert encoder.texts[-1] == "What makes of a, and not CCX?"
    assert [each.passage.reaction for each in found] == [3, 2, 1]
    search("At 80° C. or in O", [], [])
    assert encoder.texts[-1] == "At 80° C. or in O"


def test_the_rarer_of_two_molecules_weighs_more() -> None:
    passages, encoder = shelf("aaa", "aaa", "bbb", CCO=(3,), CCN=(1, 2)), Letters()
    search = VectorSearch(passages, indexed(passages, encoder), encoder, 1)
    assert [each.passage.reaction for each in search("CCN or CCO", [], [])] == [3]


def test_an_index_is_of_its_passages_and_its_encoder() -> None:
    class Others(Letters):
        def encode(self, texts: Sequence[str]) -> Vectors:
            return super().encode(texts)[:, ::-1]

    class Longer(Letters):
        def encode(self, texts: Sequence[str]) -> Vectors:
            return np.ones((len(texts), 3), np.float32)

    passages = shelf("a")
    index = indexed(passages, Letters())
    with pytest.raises(InputError, match="of other passages"):
        VectorSearch(shelf("a", "b"), index, Letters(), 1)
    # Another name, other weights under the same name, and vectors of another length.
    for other in (Letters("other"), Others(), Longer()):
        with pytest.raises(InputError, match=r"indexed by letters.*passages build --vectors"):
            VectorSearch(passages, index, other, 1)


class Interrupted(Letters):
    def encode(self, texts: Sequence[str]) -> Vectors:
        if self.asked == 128:
            raise KeyboardInterrupt
        return super().encode(texts)


def test_an_interrupted_index_is_resumed() -> None:
    passages, first, encoder = shelf(*["ab"] * 130), Interrupted(), Letters()
    with pytest.raises(KeyboardInterrupt):
        build_index(passages, first)
    file = build_index(passages, encoder)
    assert build_index(passages, encoder) == file
    assert (first.asked, encoder.asked) == (128, 2)
    assert read_index(encoder.name).vectors.shape == (130, 2)
    assert [each.name for each in file.parent.iterdir() if each.suffix != ".lock"] == [file.name]


def test_an_index_that_is_not_there_broken_or_of_another_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"make them: retrocypher passages build --vectors --encoder letters$"
    ):
        read_index("letters")
    with pytest.raises(InputError, match=r"make them: retrocypher passages build --vectors$"):
        read_index()
    build_index(shelf("a"), Letters("one"))
    index_file("one").replace(index_file("two"))
    with pytest.raises(InputError, match="names one"):
        read_index("two")
    files = {index_file(name) for name in ("some/model", "/a/folder", "/another/folder")}
    assert len(files) == 3
    for broken in (b"", b"PK\x03\x04 and no more", b"text"):
        index_file("two").write_bytes(broken)
        with pytest.raises(InputError, match="cannot be read"):
            read_index("two")
    np.savez(index_file("two"), encoder=np.array("two"))
    with pytest.raises(InputError, match="cannot be read"):
        read_index("two")
