"""The questions of each shard of a run."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question, seeded_rank, task_place

_FORM = re.compile(r"([0-9]{1,9})/([0-9]{1,9})", re.ASCII)
_SALT = "shard"


@dataclass(frozen=True, slots=True)
class Shard:
    """One of the parts that a run is split into."""

    number: int
    """Number of the part, from 1."""
    of: int
    """How many parts there are."""

    def __str__(self) -> str:
        return f"shard {self.number} of {self.of}"

    def select(self, questions: Iterable[Question]) -> tuple[Question, ...]:
        """Return the questions of this shard, in the order given; raise InputError if none is left for it.

        Questions are dealt out by task and step count, in the order of a hash of the question's id. So every
        question is in one shard, and two shards differ by at most one question, in total and of each task and
        step count.
        """
        every = tuple(questions)
        mine = {question.id for question in sorted(every, key=_place)[self.number - 1 :: self.of]}
        if not mine:
            raise InputError(
                f"--shard {self.number}/{self.of}: no question is left for it, for the run has "
                f"{len(every):,}; split it into {len(every):,} at most"
            )
        return tuple(question for question in every if question.id in mine)


def parse_shard(text: str | None) -> Shard | None:
    """Read ``i/n`` with i from 1 to n, else raise InputError; None for None."""
    if text is None:
        return None
    form = _FORM.fullmatch(text.strip())
    number, of = (int(form[1]), int(form[2])) if form else (0, 0)
    if not 1 <= number <= of:
        raise InputError(
            f"--shard {text}: give NUMBER/COUNT, the number from 1 to the count; 2/5 is the second of five"
        )
    return Shard(number, of)


def _place(question: Question) -> tuple[tuple[int, str], int, bytes, str]:
    return task_place(question.task), question.steps, seeded_rank(0, _SALT, question.id), question.id
