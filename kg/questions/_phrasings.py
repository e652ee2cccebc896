"""The wordings a task can be asked in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from kg.errors import InputError
from kg.questions._model import Question

PHRASINGS = 5
"""How many wordings each task has; the first is that of the shipped questions."""

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Wordings:
    """How a task is asked in words.

    Attributes:
        slots: What a question of the task has to be filled with.
        texts: The wordings in order, with ``{slot}`` fields.
    """

    slots: tuple[str, ...]
    texts: tuple[str, ...]

    def text(self, slots: Mapping[str, Any], phrasing: int = 1) -> str:
        """Return the question in one wording, from 1; lists of molecules read as ``A, B and C``."""
        return self.texts[phrasing - 1].format_map({name: _words(slots[name]) for name in self.slots})


@cache
def wordings_of(task: str) -> Wordings:
    """Return the wordings of a task, as shipped."""
    words = yaml.safe_load((_TEMPLATES / f"{task}.yaml").read_text(encoding="utf-8"))
    return Wordings(tuple(words["slots"]), tuple(each["text"] for each in words["phrasings"]))


def phrase(question: Question, phrasing: int) -> Question:
    """Return a question asked in another wording of its task; all else stays.

    Args:
        question: The question. Its own text is wording 1, whatever question set it comes from.
        phrasing: Which wording, 1 to `PHRASINGS`.

    Raises:
        ValueError: If there is no such wording.
    """
    if not 1 <= phrasing <= PHRASINGS:
        raise ValueError(f"phrasing {phrasing} is none of 1 to {PHRASINGS}")
    if phrasing == 1:
        return question
    return replace(question, text=wordings_of(question.task).text(question.slots, phrasing))


def phrasings_named(names: Sequence[str]) -> tuple[int, ...]:
    """Return the wordings that ``--phrasing`` names, each once and in that order.

    Args:
        names: Numbers, ``all``, or several of them with commas between.

    Raises:
        InputError: There is no such wording, or none is named.
    """
    every = tuple(range(1, PHRASINGS + 1))
    known = {str(number): number for number in every}
    wanted = list(dict.fromkeys(part for name in names for each in name.split(",") if (part := each.strip())))
    unknown = [name for name in wanted if name not in (*known, "all")]
    if unknown or not wanted:
        named = unknown[0] if unknown else "names none"
        raise InputError(f"--phrasing {named}: no such wording; choose from 1 to {PHRASINGS}, or all")
    return every if "all" in wanted else tuple(known[name] for name in wanted)


def _words(value: Any) -> str:
    if isinstance(value, list):
        *others, last = value
        return f"{', '.join(others)} and {last}" if others else str(last)
    return str(value)
