"""Which questions a run asks."""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable

from kg.errors import InputError
from kg.questions._model import TASKS, Question

Stratum = tuple[str, int]


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
        tasks: Tasks to keep; all when None or empty.
        sample: How many questions in total; all when None or when there are no more.
        seed: Seed of the sample.

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
