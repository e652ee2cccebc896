"""The result of a calibration, and all that says what it is of."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from plugins.calibration._figures import Measured

SCHEMA_VERSION = 1

PRIMARY = "with_reference"
"""The variant whose figures are told first, and which a gate on ``judge`` is about."""

_HEAD = ("false_accept_rate", "false_reject_rate", "by_error", "kappa", "sensitivity", "test_retest")


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far one judge can be believed.

    Attributes:
        judge: Label of the judge's model.
        model: What tells this model from others, as `judge_identity` says it.
        criteria: Hash of what it judged by, and of how many rows it was shown.
        rows: How many rows of a result it was shown at most.
        made: When, in UTC, as ISO 8601 writes it.
        retrocypher: The version that made it.
        questions_sha256: Hash of the questions.
        bank: Part of the bank that the sample is from.
        bank_entries: How many entries that part has.
        seed: Seed of the sample.
        per_error: How many errors of each label were asked for.
        repeats: How often each query was judged.
        sample: How many queries there are, by kind; neutral ones by group.
        variants: The figures, by variant.
        calls: How many judgements there were; ``cached`` of them were had before.
        tokens: Tokens of all answers.
        cost: USD of those that were paid for now, where all prices are known; else None.
    """

    judge: str
    model: str
    criteria: str
    rows: int
    made: str
    retrocypher: str
    questions_sha256: str
    bank: str
    bank_entries: int
    seed: int
    per_error: int
    repeats: int
    sample: Mapping[str, int]
    variants: Mapping[str, Measured]
    calls: Mapping[str, int]
    tokens: Mapping[str, int]
    cost: float | None

    @property
    def primary(self) -> str:
        """The variant whose figures are told first."""
        return PRIMARY if PRIMARY in self.variants else next(iter(self.variants))

    def to_file(self) -> dict[str, Any]:
        """Return what is kept on file."""
        told = {part.name: getattr(self, part.name) for part in fields(self)}
        variants = {name: each.to_json() for name, each in self.variants.items()}
        return {"schema_version": SCHEMA_VERSION, **told, "variants": variants}

    def to_json(self) -> dict[str, Any]:
        """Return what is kept on file, with the figures of `primary` in front."""
        told = self.to_file()
        figures = told["variants"][self.primary]
        return {"variant": self.primary, **{name: figures[name] for name in _HEAD}, **told}
