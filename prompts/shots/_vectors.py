"""The vectors that 1S-D-S needs, seen to before a run starts."""

from collections.abc import Iterable, Sequence

from kg.questions import Question
from prompts.encoders import StoredEncoder, stored_encoder
from prompts.exemplars import load_bank
from prompts.shots._choose import canonical_shot
from prompts.shots._text import exemplar_text, masked_text

ENCODER = "all-mpnet-base-v2"


def shot_encoder() -> StoredEncoder:
    """Return the encoder of 1S-D-S: shipped vectors first, the model itself for other texts."""
    return stored_encoder(ENCODER)


def texts_to_encode(questions: Iterable[Question]) -> list[str]:
    """Return the distinct texts that 1S-D-S compares for these questions, exemplars first, each once."""
    banks = [exemplar_text(each) for setting in ("single_step", "multi_step") for each in load_bank(setting)]
    return list(dict.fromkeys([*banks, *(masked_text(question) for question in questions)]))


def require_vectors(questions: Iterable[Question], shots: Sequence[str]) -> None:
    """See that every text 1S-D-S will compare has a vector, computing and keeping what is missing.

    Does nothing without 1S-D-S among the shots. Called once, before a server or a worker starts; workers then
    find the vectors in the cache folder.

    Raises:
        InputError: If a text has no vector and the encoder is not installed or cannot be loaded.
    """
    if any(canonical_shot(shot) == "1S-D-S" for shot in shots):
        shot_encoder().prepare(texts_to_encode(questions))
