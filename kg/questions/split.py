"""A split of questions by their target molecules: a training part and a test part without a common target."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast, get_args

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question, seeded_rank

Part = Literal["train", "test"]
_SALT = "split by target"
_RANGE = 2**64


@dataclass(frozen=True, slots=True)
class TargetSplit:
    """A split by target molecule. It depends on nothing but share, seed and the molecule's name.

    Attributes:
        share: Share of the molecules that are in the training part, over 0 and under 1.
        seed: Seed of the choice.
    """

    share: float
    seed: int = 0

    def __str__(self) -> str:
        return f"{self.share}:{self.seed}"

    def trains(self, target: str) -> bool:
        """Tell whether a molecule is in the training part."""
        return int.from_bytes(seeded_rank(self.seed, _SALT, target)[:8]) < self.share * _RANGE

    def part_of(self, question: Question) -> Part | None:
        """Return the part of a question; None if it asks for molecules of both parts."""
        found = {self.trains(target) for target in targets_of(question)}
        if len(found) > 1:
            return None
        return "train" if True in found else "test"


def targets_of(question: Question) -> Iterator[str]:
    """Yield the molecules that a question about reactions asks how to make."""
    yield question.target
    yield from (name for name in question.slots.get("products", ()) if name != question.target)


def parse_split(text: str, option: str) -> TargetSplit:
    """Read ``SHARE`` or ``SHARE:SEED``; raises InputError, which names the option, for anything else."""
    share, _, seed = text.partition(":")
    try:
        split = TargetSplit(float(share), int(seed or 0))
    except ValueError:
        split = TargetSplit(0)
    if not 0 < split.share < 1 or split.seed < 0:
        raise InputError(
            f"{option} {text}: not a split; give the share of targets for training, over 0 and under 1, and "
            "a seed, such as 0.5:0"
        )
    return split


def parse_part(text: str, option: str) -> tuple[Part, TargetSplit]:
    """Read ``train:SHARE:SEED`` or ``test:SHARE:SEED``, as `parse_split` does."""
    part, _, rest = text.partition(":")
    if part not in get_args(Part):
        raise InputError(f"{option} {text}: names no part; write train:{text} or test:{text}")
    return cast(Part, part), parse_split(rest, option)
