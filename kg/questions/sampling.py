"""Which questions are asked: a seeded sample, and the paraphrase of each."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TASKS, Question

PARAPHRASE_COUNT = 5
"""How many wordings each task has; the first is that of the shipped questions."""

_TEMPLATES = Path(__file__).parent / "templates"

Stratum = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Paraphrases:
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
def paraphrases_of(task: str) -> Paraphrases:
    """Return the wordings of a task, as shipped."""
    words = yaml.safe_load((_TEMPLATES / f"{task}.yaml").read_text(encoding="utf-8"))
    return Paraphrases(tuple(words["slots"]), tuple(each["text"] for each in words["phrasings"]))


def paraphrase(question: Question, phrasing: int) -> Question:
    """Return a question asked in another wording of its task; all else stays.

    Args:
        question: The question. Its own text is wording 1, whatever question set it comes from.

    Raises:
        ValueError: If there is no such wording.
    """
    if not 1 <= phrasing <= PARAPHRASE_COUNT:
        raise ValueError(f"phrasing {phrasing} is none of 1 to {PARAPHRASE_COUNT}")
    if phrasing == 1:
        return question
    return replace(question, text=paraphrases_of(question.task).text(question.slots, phrasing))


def parse_paraphrases(names: Sequence[str]) -> tuple[int, ...]:
    """Return the wordings that ``--phrasing`` names, each once and in that order.

    Args:
        names: Numbers, ``all``, or several of them with commas between.

    Raises:
        InputError: There is no such wording, or none is named.
    """
    every = tuple(range(1, PARAPHRASE_COUNT + 1))
    known = {str(number): number for number in every}
    wanted = list(dict.fromkeys(part for name in names for each in name.split(",") if (part := each.strip())))
    unknown = [name for name in wanted if name not in (*known, "all")]
    if unknown or not wanted:
        named = unknown[0] if unknown else "names none"
        raise InputError(f"--phrasing {named}: no such wording; choose from 1 to {PARAPHRASE_COUNT}, or all")
    return every if "all" in wanted else tuple(known[name] for name in wanted)


def _words(value: Any) -> str:
    if isinstance(value, list):
        *others, last = value
        return f"{', '.join(others)} and {last}" if others else str(last)
    return str(value)


def select(
    questions: Iterable[Question],
    *,
    tasks: Collection[str] | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> tuple[Question, ...]:
    """Return the questions of some tasks, or a seeded sample of them, in their original order.

    A sample is stratified by task and step count: every stratum gets its proportional share of ``sample``,
    rounded by largest remainders (ties go by a hash of seed and stratum). Within a stratum questions are
    taken in the order of a hash of seed and question id. Nothing else enters, so the same questions come
    out for every prompt, shot, loop, model, machine and worker count.

    Args:
        questions: What to choose from; already without the settings that no prompt asks for.
        sample: How many questions in total; all when None or when there are no more.

    Raises:
        InputError: If a task is unknown, ``sample`` is under 1, or nothing is left.
    """
    unknown = [task for task in tasks or () if task not in TASKS]
    if unknown:
        raise InputError(f"unknown task {unknown[0]!r}; choose from {', '.join(TASKS)}")
    if sample is not None and sample < 1:
        raise InputError(f"a sample of {sample} questions is empty; ask for at least 1")
    kept = [question for question in questions if not tasks or question.task in tasks]
    if not kept:
        asked = f" of {', '.join(tasks)}" if tasks else ""
        raise InputError(f"no question is left: the set holds none{asked} for the prompts chosen")
    if sample is None or sample >= len(kept):
        return tuple(kept)
    strata: dict[Stratum, list[str]] = defaultdict(list)
    for question in kept:
        strata[question.task, question.steps].append(question.id)
    sizes = _shares({stratum: len(ids) for stratum, ids in strata.items()}, sample, seed)
    chosen = {
        identifier
        for stratum, ids in strata.items()
        for identifier in sorted(ids, key=lambda name: seeded_rank(seed, name))[: sizes[stratum]]
    }
    return tuple(question for question in kept if question.id in chosen)


def seeded_rank(seed: int, *names: object) -> bytes:
    """Return a rank that orders names at random for a seed, alike on every machine: a SHA-256."""
    return hashlib.sha256("\x1f".join(map(str, (seed, *names))).encode()).digest()


def _shares(sizes: dict[Stratum, int], sample: int, seed: int) -> dict[Stratum, int]:
    """Share ``sample`` among strata by largest remainders."""
    total = sum(sizes.values())
    shares = {stratum: sample * size // total for stratum, size in sizes.items()}
    by_remainder = sorted(sizes, key=lambda s: (-(sample * sizes[s] % total), seeded_rank(seed, *s)))
    for stratum in by_remainder[: sample - sum(shares.values())]:
        shares[stratum] += 1
    return shares
