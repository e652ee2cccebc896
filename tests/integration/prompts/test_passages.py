"""Passages found by the real encoder (needs the extra, its weights and the passages)."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.real_encoder import loaded

from retrocypher.kg.graph.passages import Passage, Passages, build_passages, open_passages
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.answering.passages import PASSAGE_ENCODER, VectorSearch, build_index, read_index
from retrocypher.prompts.templates.encoder import Encoder, extra_installed, load_encoder

pytestmark = [
    pytest.mark.semantic,
    pytest.mark.skipif(not extra_installed(), reason="the extra [semantic] is not installed"),
]


class Few(Passages):
    """The passages of some reactions."""

    def __init__(self, passages: Passages, reactions: set[int]) -> None:
        super().__init__(passages._connection)
        self._reactions = reactions

    def __iter__(self) -> Iterator[Passage]:
        return (each for each in super().__iter__() if each.reaction in self._reactions)

    def reactions_with(self, molecule: str) -> tuple[int, ...]:
        return tuple(each for each in super().reactions_with(molecule) if each in self._reactions)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return loaded(load_encoder(PASSAGE_ENCODER))


@pytest.fixture(scope="module")
def asked() -> list[tuple[Question, set[int]]]:
    """Some questions with the reactions of their gold answer."""
    single = [each for each in load_questions().questions if each.setting == "single_step"]
    return [(each, {row["id"] for row in each.gold}) for each in single[::60]]


@pytest.fixture
def passages(asked: list[tuple[Question, set[int]]]) -> Iterator[Passages]:
    with open_passages(build_passages()) as opened:
        others = {each.reaction for each in list(opened)[::150]}
        yield Few(opened, others.union(*(gold for _, gold in asked)))


def test_questions_find_the_passages_of_their_reactions(
    encoder: Encoder,
    passages: Passages,
    asked: list[tuple[Question, set[int]]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    (tmp_path / "passages").mkdir()
    build_index(passages, encoder)
    index = read_index()
    assert index.vectors.shape[1] == 384
    assert np.allclose(np.linalg.norm(index.vectors, axis=1), 1, atol=1e-4)
    search = VectorSearch(passages, index, encoder, 3)
    by_question = [
        bool({each.passage.reaction for each in search(q.text, [], [])} & gold) for q, gold in asked
    ]
    assert sum(by_question) / len(by_question) >= 0.8
    for question, gold in asked:
        rows = [[number] for number in sorted(gold)]
        found = {each.passage.reaction for each in search(question.text, ["reaction.id"], rows)}
        assert len(found & gold) == min(3, len(gold))
    # Words of a chemist, without a molecule.
    (found,) = VectorSearch(passages, index, encoder, 1)(next(iter(passages)).text[:200], [], [])
    assert found.passage == next(iter(passages))
