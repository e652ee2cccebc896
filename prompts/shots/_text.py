"""What 1S-D-S compares: questions without their molecules, exemplars with their intent."""

import re
from collections.abc import Mapping

from kg.questions import Question
from prompts.exemplars import Exemplar, molecules_of, placeholder

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
