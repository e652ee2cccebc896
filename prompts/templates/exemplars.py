"""Exemplars of one-shot prompting: their banks, which one a question is shown, and filling them in."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question, Setting
from retrocypher.prompts.templates.encoder import Encoder, StoredEncoder, stored_encoder

SHOTS = ("ZS", "1S-S", "1S-D-R", "1S-D-S")
SHOT_ENCODER = "all-mpnet-base-v2"
"""The encoder of 1S-D-S."""

_HERE = Path(__file__).parent
_SHOT_ALIASES = {"1S": "1S-S"}
_STATIC = {"single_step": "product-identification", "multi_step": "multi-step-product-discovery"}
# Cosines closer than this are a tie: it is far above float noise and far below any difference in meaning.
_COSINE_DECIMALS = 6
_MOLECULE = re.compile(r"'<MOLECULE(?:_(\d))?>'")
_SPACE = re.compile(r"(\s+)")
_BEFORE = "('\"`"
_AFTER = ")'\"`,.;:?!"


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A question and its Cypher, shown to a model in one-shot prompting.

    Attributes:
        id: Stable identifier, on the record of each case that shows it.
        question: The question as shown: placeholders in place of molecules, the step count written out.
        intent: What kind of thing the question asks for, as matched by 1S-D-S.
        cypher: The query as shown, with the same placeholders.
        pattern: The query with ``<STEPS>`` and ``<HOPS>`` still open, for `fill_exemplar`.
        steps: The step count shown; None in the single-step bank.
    """

    id: str
    setting: Setting
    task: str
    question: str
    intent: str
    cypher: str
    pattern: str = ""
    steps: int | None = None


@cache
def load_bank(setting: Setting) -> tuple[Exemplar, ...]:
    """Return the exemplars of a setting, in bank order (the paper's figure A1)."""
    entries = yaml.safe_load(_bank_file(setting).read_text(encoding="utf-8"))
    return tuple(_exemplar(setting, entry) for entry in entries)


def bank_sha256(setting: Setting) -> str:
    """Return the hash of the file of a setting's bank."""
    return hashlib.sha256(_bank_file(setting).read_bytes()).hexdigest()


def _bank_file(setting: Setting) -> Path:
    return _HERE / f"{setting}.yaml"


def _exemplar(setting: Setting, entry: dict[str, Any]) -> Exemplar:
    steps = entry.get("steps")
    pattern = entry["cypher"].strip()
    return Exemplar(
        id=entry["id"],
        setting=setting,
        task=entry["task"],
        question=_write_steps(entry["question"], steps),
        intent=entry["intent"],
        cypher=_write_steps(pattern, steps),
        pattern=pattern,
        steps=steps,
    )


def _write_steps(text: str, steps: int | None) -> str:
    return text if steps is None else text.replace("<STEPS>", str(steps)).replace("<HOPS>", str(2 * steps))


def molecules_of(slots: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the molecules a question names: the start before the target, several products in their order."""
    start = [slots["start"]] if slots.get("start") else []
    ends = slots.get("products") or ([slots["target"]] if slots.get("target") else [])
    return tuple(dict.fromkeys([*start, *ends]))


def fill_exemplar(exemplar: Exemplar, slots: Mapping[str, Any]) -> str | None:
    """Return an exemplar's query about a question's molecules and steps; None where it lacks one of them.

    ``<MOLECULE>`` takes the first molecule the question names, ``<MOLECULE_n>`` the n-th; ``<STEPS>`` takes
    its step count and ``<HOPS>`` twice that. A molecule of the question without a placeholder is left out.
    `slots` is what the question's template was filled with.
    """
    names = molecules_of(slots)
    needed = {int(match[1] or 1) for match in _MOLECULE.finditer(exemplar.pattern)}
    steps = slots.get("steps")
    if max(needed, default=0) > len(names) or (exemplar.steps is not None and steps is None):
        return None
    query = _write_steps(exemplar.pattern, None if exemplar.steps is None else steps)
    return _MOLECULE.sub(lambda match: quote(names[int(match[1] or 1) - 1]), query)


def canonical_shot(name: str) -> str:
    """Return the full name of a shot; raise InputError if there is no such shot."""
    shot = _SHOT_ALIASES.get(name, name)
    if shot not in SHOTS:
        raise InputError(f"--shot {name}: no such shot; choose from {', '.join(SHOTS)}, or all")
    return shot


def choose_exemplar(
    shot: str, question: Question, bank: Sequence[Exemplar], seed: int, encoder: Encoder | None
) -> Exemplar | None:
    """Return the exemplar for a question from the bank of its setting; None with zero-shot.

    The choice depends only on these arguments, so it is the same for every prompt and model, on every machine
    and with any number of workers. The seed is that of 1S-D-R, the encoder that of 1S-D-S. Raises InputError
    if the shot is 1S-D-S and there is no vector for the question and no way to compute one.
    """
    match canonical_shot(shot):
        case "ZS":
            return None
        case "1S-S":
            return next(exemplar for exemplar in bank if exemplar.id == _STATIC[question.setting])
        case "1S-D-R":
            digest = hashlib.sha256(f"{seed}:{question.id}".encode()).digest()
            return bank[int.from_bytes(digest[:8], "big") % len(bank)]
        case _:
            if encoder is None:
                raise InputError("--shot 1S-D-S needs an encoder")
            vectors = encoder.encode([masked_text(question), *map(exemplar_text, bank)])
            cosines = np.round(vectors[1:] @ vectors[0], _COSINE_DECIMALS)
            # Of equal cosines, argmax takes the first.
            return bank[int(np.argmax(cosines))]


def exemplar_text(exemplar: Exemplar) -> str:
    """Return an exemplar's question with its intent added, as 1S-D-S compares it."""
    return f"{exemplar.question} {exemplar.intent}"


def masked_text(question: Question) -> str:
    """Return a question with placeholders in place of its molecules, as 1S-D-S compares it.

    Molecules are those of the question's slots, replaced where a word of the text is exactly their SMILES,
    quotes and punctuation around it left aside. Step counts stay: they are part of what is asked.
    """
    names = molecules_of(question.slots)
    masks = {
        name: "<MOLECULE>" if len(names) == 1 else f"<MOLECULE_{number}>"
        for number, name in enumerate(names, 1)
    }
    return "".join(_masked(word, masks) for word in _SPACE.split(question.text))


def _masked(word: str, masks: Mapping[str, str]) -> str:
    """Mask a word, setting aside as little punctuation as possible: a SMILES may end with a bracket."""
    before = len(word) - len(word.lstrip(_BEFORE))
    after = len(word) - len(word.rstrip(_AFTER))
    for start in range(before + 1):
        for stop in range(len(word), len(word) - after - 1, -1):
            if (mask := masks.get(word[start:stop])) is not None:
                return word[:start] + mask + word[stop:]
    return word


def shot_encoder() -> StoredEncoder:
    """Return the encoder of 1S-D-S: shipped vectors first, the model itself for other texts."""
    return stored_encoder(SHOT_ENCODER)


def texts_to_encode(questions: Iterable[Question]) -> list[str]:
    """Return the distinct texts that 1S-D-S compares for these questions, exemplars first."""
    banks = [exemplar_text(each) for setting in ("single_step", "multi_step") for each in load_bank(setting)]
    return list(dict.fromkeys([*banks, *(masked_text(question) for question in questions)]))


def require_vectors(questions: Iterable[Question], shots: Sequence[str]) -> None:
    """Compute and store the vectors that 1S-D-S lacks for these questions; nothing without that shot.

    Called once, before a server or a worker starts; workers then find the vectors in the cache folder. Raises
    InputError if a text has no vector and the encoder is not installed or cannot be loaded.
    """
    if any(canonical_shot(shot) == "1S-D-S" for shot in shots):
        shot_encoder().prepare(texts_to_encode(questions))
