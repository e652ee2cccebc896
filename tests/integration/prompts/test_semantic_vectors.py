"""The shipped vectors are what the encoder computes (needs the extra and its weights)."""

from pathlib import Path

import numpy as np
import pytest
from support.real_encoder import loaded

from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.templates.encoder import SentenceEncoder, extra_installed
from retrocypher.prompts.templates.exemplars import ENCODER, texts_to_encode
from retrocypher.prompts.templates.encoder import build_vectors, stored_encoder

pytestmark = [
    pytest.mark.semantic,
    pytest.mark.skipif(not extra_installed(), reason="the extra [semantic] is not installed"),
]
# Other processors and library versions add up in another order.
TOLERANCE = 1e-5


@pytest.fixture(scope="module")
def model() -> SentenceEncoder:
    return loaded(SentenceEncoder(ENCODER))


def test_shipped_vectors_are_what_the_encoder_computes(model: SentenceEncoder) -> None:
    texts = texts_to_encode(load_questions().questions)
    shipped, computed = stored_encoder(ENCODER).encode(texts), model.encode(texts)
    assert computed.shape == (len(texts), 768)
    assert np.abs(shipped - computed).max() < TOLERANCE
    assert np.einsum("ij,ij->i", shipped, computed).min() > 1 - TOLERANCE


def test_a_vector_does_not_depend_on_its_neighbours(model: SentenceEncoder) -> None:
    texts = ["a", "a much longer text about the synthesis of molecules, so that a batch would be padded", "b"]
    assert np.array_equal(model.encode(texts)[:1], model.encode(texts[:1]))


def test_building_vectors_twice_gives_the_same_file(model: SentenceEncoder, tmp_path: Path) -> None:
    for name in ("1", "2"):
        assert build_vectors(["one text", "another", "one text"], model.name, tmp_path / name) == 2
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
