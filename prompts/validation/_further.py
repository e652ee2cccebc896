"""What a question says beyond the ten kinds that are known."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from kg.molecules import canonical_smiles
from kg.questions import MULTI_STEP_TASKS
from prompts.validation._common_names import common_names
from prompts.validation._model import Intent
from prompts.validation._words import Words

_BESIDE_ROUTES = {
    "best": "asks for the best yield of routes",
    "co_products": "speaks of co-products beside routes",
    "agents": "speaks of agents beside routes",
    "solvents": "speaks of solvents beside routes",
    "conditions": "speaks of conditions beside routes",
}
_BESIDE_SEVERAL = {name: f"speaks of {name} beside several molecules" for name in ("agents", "solvents")}
_LONGEST_SHOWN = 40


def beyond(intent: Intent, plain: str, words: Words, concepts: set[str], names: Sequence[str]) -> str | None:
    """Say what a question holds that its intent does not; None where there is nothing.

    Args:
        intent: What the question was read as.
        plain: The question as its words are looked up.
        words: The words.
        concepts: What the question is about.
        names: The SMILES it holds.
    """
    beside: Mapping[str, str] = {}
    if intent in MULTI_STEP_TASKS:
        beside = _BESIDE_ROUTES
    elif intent == "multi_product":
        beside = _BESIDE_SEVERAL
    for concept, why in beside.items():
        if concept in concepts:
            return f"The question {why}"
    for further in words.further:
        match = None if intent in further.known_to else further.pattern.search(plain)
        if match is not None:
            return f'The question {further.why} ("{_shown(match.group())}")'
    named = _named(plain, names)
    return None if named is None else f'The question names a substance by a word ("{named}")'


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"


def _named(plain: str, names: Sequence[str]) -> str | None:
    """The first name of a molecule that is not one of those given by SMILES."""
    known = {canonical_smiles(name) for name in names}
    for match in _pattern().finditer(plain):
        if canonical_smiles(_plain_names()[match.group()]) not in known:
            return match.group()
    return None


@cache
def _plain_names() -> Mapping[str, str]:
    """The names as they stand in a question's plain words."""
    return {" ".join(re.findall(r"\w+", name)): smiles for name, smiles in common_names().items()}


@cache
def _pattern() -> re.Pattern[str]:
    longest_first = sorted(_plain_names(), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
