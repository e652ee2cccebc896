"""Which exemplar a question is shown, if any."""

import hashlib
from collections.abc import Sequence

import numpy as np

from kg.errors import InputError
from kg.questions import Question
from prompts.encoders import Encoder
from prompts.exemplars import Exemplar
from prompts.shots._text import exemplar_text, masked_text

SHOTS = ("ZS", "1S-S", "1S-D-R", "1S-D-S")
ALIASES = {"1S": "1S-S"}
STATIC = {"single_step": "product-identification", "multi_step": "multi-step-product-discovery"}
# Cosines closer than this are a tie: it is far above float noise and far below any difference in meaning.
COSINE_DECIMALS = 6


def canonical_shot(name: str) -> str:
    """Return the full name of a shot.

    Raises:
        InputError: If there is no such shot.
    """
    shot = ALIASES.get(name, name)
    if shot not in SHOTS:
        raise InputError(f"--shot {name}: no such shot; choose from {', '.join(SHOTS)}, or all")
    return shot


def choose(
    shot: str, question: Question, bank: Sequence[Exemplar], seed: int, encoder: Encoder | None
) -> Exemplar | None:
    """Return the exemplar for a question; None with zero-shot.

    The choice depends on nothing but these arguments, so it is the same for every prompt and model, on every
    machine and at every worker count.

    Args:
        shot: Canonical name of a shot.
        question: The question.
        bank: The exemplars of its setting, in bank order.
        seed: Seed of 1S-D-R.
        encoder: Encoder of 1S-D-S; not used by the other shots.

    Raises:
        InputError: If the shot is 1S-D-S and there is no vector for the question and no way to compute one.
    """
    match canonical_shot(shot):
        case "ZS":
            return None
        case "1S-S":
            return next(exemplar for exemplar in bank if exemplar.id == STATIC[question.setting])
        case "1S-D-R":
            return bank[random_index(seed, question.id, len(bank))]
        case _:
            if encoder is None:
                raise InputError("--shot 1S-D-S needs an encoder")
            return bank[nearest_index(masked_text(question), [exemplar_text(each) for each in bank], encoder)]


def random_index(seed: int, question_id: str, size: int) -> int:
    """Return a seeded index below `size`: 8 bytes of the SHA-256 of ``seed:question_id``, modulo `size`."""
    digest = hashlib.sha256(f"{seed}:{question_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % size


def nearest_index(text: str, others: Sequence[str], encoder: Encoder) -> int:
    """Return the index of the text with the highest cosine; of equal ones, the first."""
    vectors = encoder.encode([text, *others])
    cosines = np.round(vectors[1:] @ vectors[0], COSINE_DECIMALS)
    return int(np.argmax(cosines))
