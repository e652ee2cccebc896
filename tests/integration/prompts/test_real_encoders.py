"""The real encoders: shipped vectors, and passages (need the extra, its weights and the passages)."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.passages import Passage, Passages, build_passages, open_passages
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.questions.unanswerable import unanswerable
from retrocypher.prompts.answering.passages import PASSAGE_ENCODER, VectorSearch, build_index, read_index
from retrocypher.prompts.templates.encoder import (
    Encoder,
    SentenceEncoder,
    extra_installed,
    load_encoder,
    stored_encoder,
)
from retrocypher.prompts.templates.exemplars import SHOT_ENCODER, load_banks, texts_to_encode

pytestmark = [
    pytest.mark.semantic,
    pytest.mark.skipif(not extra_installed(), reason="the extra [semantic] is not installed"),
]

# Other processors and library versions add up in another order.
TOLERANCE = 1e-5


def loaded(encoder: Encoder) -> Encoder:
    """Return an encoder that has its weights, or skip the test where they cannot be had."""
    try:
        encoder.encode(["a text"])
    except InputError as error:
        pytest.skip(f"the weights of {encoder.name} cannot be had: {error}")
    return encoder


@pytest.fixture(scope="module")
def shot_encoder() -> Encoder:
    return loaded(SentenceEncoder(SHOT_ENCODER))


def test_shipped_vectors_are_what_the_encoder_computes(shot_encoder: Encoder) -> None:
    questions = load_questions().questions
    texts = texts_to_encode([*questions, *unanswerable(questions)], load_banks().values())
    shipped, computed = stored_encoder(SHOT_ENCODER).encode(texts), shot_encoder.encode(texts)
    assert computed.shape == (len(texts), 768)
    assert np.abs(shipped - computed).max() < TOLERANCE
    assert np.einsum("ij,ij->i", shipped, computed).min() > 1 - TOLERANCE


def test_a_vector_does_not_depend_on_its_neighbours(shot_encoder: Encoder) -> None:
    texts = ["a", "a much longer text about the synthesis of molecules, so that a batch would be padded", "b"]
    assert np.array_equal(shot_encoder.encode(texts)[:1], shot_encoder.encode(texts[:1]))


class Few:
    """The passages of some reactions."""

    def __init__(self, passages: Passages, reactions: set[int]) -> None:
        self._passages = passages
        self._reactions = reactions

    def __getattr__(self, name: str) -> object:
        return getattr(self._passages, name)

    def __len__(self) -> int:
        return len(self._passages)

    def __iter__(self) -> Iterator[Passage]:
        return (each for each in self._passages if each.reaction in self._reactions)

    def reactions_with(self, molecule: str) -> tuple[int, ...]:
        return tuple(each for each in self._passages.reactions_with(molecule) if each in self._reactions)


@pytest.fixture(scope="module")
def passage_encoder() -> Encoder:
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
    passage_encoder: Encoder,
    passages: Passages,
    asked: list[tuple[Question, set[int]]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    (tmp_path / "passages").mkdir()
    build_index(passages, passage_encoder)
    index = read_index()
    assert index.vectors.shape[1] == 384
    assert np.allclose(np.linalg.norm(index.vectors, axis=1), 1, atol=1e-4)
    search = VectorSearch(passages, index, passage_encoder, 3)
    by_question = [
        bool({each.passage.reaction for each in search(q.text, [], [])} & gold) for q, gold in asked
    ]
    assert sum(by_question) / len(by_question) >= 0.8
    for question, gold in asked:
        rows = [[number] for number in sorted(gold)]
        found = {each.passage.reaction for each in search(question.text, ["reaction.id"], rows)}
        assert len(found & gold) == min(3, len(gold))
    # Words of a chemist, without a molecule.
    (found,) = VectorSearch(passages, index, passage_encoder, 1)(next(iter(passages)).text[:200], [], [])
    assert found.passage == next(iter(passages))
