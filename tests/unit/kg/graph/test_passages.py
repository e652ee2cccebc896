"""Passages of patents: built once, read by what they share with a question."""

import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph import passages as building
from retrocypher.kg.graph.orderly import read_texts
from retrocypher.kg.graph.passages import Passage, Passages, build_passages, open_passages, passages_file
from retrocypher.kg.graph.reaction import Reaction, Source

TEXTS = {
    ("a.parquet", 1): "A mixture of ethanol and acid was refluxed.",
    ("a.parquet", 2): "",
    ("a.parquet", 3): 'The residue "was" distilled OR dried.',
    ("b.parquet", 1): "It belongs to no reaction of the graph.",
}


def reaction(number: int, row: int, *molecules: str) -> Reaction:
    source = Source("a.parquet", row, "", "1976-01")
    return Reaction(number, molecules[:1], molecules[1:], (), (), (None,), source)


class Wheel:
    """Has texts, and counts how often it was asked."""

    asked = 0

    def texts(self) -> Iterator[tuple[str, int, str]]:
        Wheel.asked += 1
        return ((file, row, text) for (file, row), text in TEXTS.items())


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    graph = (reaction(5, 1, "CCO", "CC(=O)O"), reaction(6, 2, "CCO", "C"), reaction(7, 3, "CCN", "[Na+]"))
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    monkeypatch.setattr(building, "read_graph", lambda: graph)
    monkeypatch.setattr(building, "orderly_wheel", Wheel)
    return build_passages()


@pytest.fixture
def passages(file: Path) -> Iterator[Passages]:
    with open_passages(file) as opened:
        yield opened


def test_reactions_with_a_text_have_a_passage(passages: Passages) -> None:
    first = Passage(5, TEXTS["a.parquet", 1], "a.parquet", 1)
    assert list(passages) == [first, Passage(7, TEXTS["a.parquet", 3], "a.parquet", 3)]
    assert len(passages) == 2
    assert passages.of(5) == first
    with pytest.raises(KeyError):
        passages.of(6)


def test_they_are_built_once(file: Path) -> None:
    before = Wheel.asked
    assert build_passages() == file == passages_file()
    assert Wheel.asked == before
    assert not list(file.parent.glob("*.partial"))


@pytest.mark.parametrize(
    ("words", "molecules", "reactions", "found"),
    [
        (["refluxed"], [], [], [5]),
        ([], ["CCN"], [], [7]),
        ([], ["CCO"], [], [5]),
        ([], ["C"], [], []),
        ([], [], [7], [7]),
        (["distilled"], ["CCO"], [], [5, 7]),
        ([], [], [], []),
        (["nowhere"], ["c1ccccc1"], [99], []),
        # What FTS5 would take for its own language is a word.
        (['was" OR text:"acid', "*", "NEAR(", '"', "text : x", "-"], [], [], []),
        ([], ['CCO" OR "'], [], []),
    ],
)
def test_they_are_found_by_what_they_share(
    passages: Passages, words: list[str], molecules: list[str], reactions: list[int], found: list[int]
) -> None:
    matching = passages.matching(words, molecules, reactions, 5)
    assert [passage.reaction for passage, _ in matching] == found
    assert all(score > 0 for _, score in matching)


@pytest.mark.parametrize(
    ("molecule", "reactions"), [("CCO", (5,)), ("[Na+]", (7,)), ("C", ()), ('" OR *', ()), (" ", ())]
)
def test_reactions_that_a_molecule_takes_part_in(
    passages: Passages, molecule: str, reactions: tuple[int, ...]
) -> None:
    assert passages.reactions_with(molecule) == reactions


def test_no_more_than_asked_for(passages: Passages) -> None:
    assert len(passages.matching(["mixture", "residue"], [], [], 1)) == 1


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.sqlite"
    broken.write_text("no database at all, for sure" * 100)
    with pytest.raises(InputError, match="Delete it; it is then made again"), open_passages(broken):
        pass
    with pytest.raises(InputError, match="cannot be read"), open_passages(tmp_path / "none.sqlite"):
        pass


def test_texts_come_with_the_row_of_their_record() -> None:
    content = io.BytesIO()
    pq.write_table(pa.table({"procedure_details": ["one", None, "", "four"]}), content)
    assert list(read_texts("a", content.getvalue())) == [(1, "one"), (4, "four")]
    other = io.BytesIO()
    pq.write_table(pa.table({"x": [1]}), other)
    for broken in (other.getvalue(), b"nothing"):
        with pytest.raises(InputError, match="procedure_details"):
            list(read_texts("a", broken))
