"""Which exemplar a question is shown, if any."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.prompts.templates.encoder import Encoder
from retrocypher.prompts.templates.exemplars import Exemplar, load_bank, molecules_of, placeholder
from retrocypher.prompts.templates.stored_vectors import StoredEncoder, stored_encoder

_SPACE = re.compile(r"(\s+)")
_BEFORE = "('\"`"
_AFTER = ")'\"`,.;:?!"


def masked_text(question: Question) -> str:
    """Return a question with placeholders in place of its molecules.

    Molecules are those of the question's slots, replaced where a word of the text is exactly their SMILES,
    quotes and punctuation around it left aside. Step counts stay: they are part of what is asked.
    """
    names = molecules_of(question.slots)
    masks = {name: placeholder(position, len(names)) for position, name in enumerate(names)}
    return "".join(_masked(word, masks) for word in _SPACE.split(question.text))


def exemplar_text(exemplar: Exemplar) -> str:
    """Return an exemplar's question with its intent added."""
    return f"{exemplar.question} {exemplar.intent}"


def _masked(word: str, masks: Mapping[str, str]) -> str:
    """Mask a word, as little punctuation as possible set aside: a SMILES may end with a bracket."""
    before = len(word) - len(word.lstrip(_BEFORE))
    after = len(word) - len(word.rstrip(_AFTER))
    for start in range(before + 1):
        for stop in range(len(word), len(word) - after - 1, -1):
            if (mask := masks.get(word[start:stop])) is not None:
                return word[:start] + mask + word[stop:]
    return word


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
