"""What is judged, and what comes of it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

Variant = Literal["with_reference", "without_reference"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)

OWN_FAULTS = frozenset({"malformed", "out_of_scale", "no_answer"})
"""Kinds of error that are the judge's own words: asked again it would say the same. All others are faults of
the harness or of the API."""
_KINDS: Mapping[str, Any] = {
    "model": str,
    "variant": str,
    "score": float | int | None,
    "reason": str,
    "error": dict | None,
    "tokens": dict | None,
    "cost": float | int | None,
    "time_s": float | int,
    "criteria": str,
    "rating": float | int | None,
    "asked_sha256": str,
    "details": dict,
}


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """A query to be judged.

    Attributes:
        case_id: Name of the case, for messages.
        question: The question, as asked.
        schema: Schema text of the graph.
        cypher: The query; None where the answer had none.
        reference: The reference query; the variant without it is not shown it.
        columns: Columns of its result; None where rows are not to be shown.
        rows: Rows of its result in the records' JSON form, each a list; None where they are not to be shown.
    """

    case_id: str
    question: str
    schema: str
    cypher: str | None
    reference: str
    columns: Sequence[str] | None = None
    rows: Sequence[Any] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge makes of a case.

    Attributes:
        model: Label of the judge.
        variant: Whether it was shown the reference query.
        score: In [0, 1]; None where it gave none.
        weighted: Whether the score is the mean over the numbers it might have said, by their probabilities;
            else it is the number it said.
        reason: Its reason; empty without a score.
        error: ``kind`` and ``message`` of why there is no score; None where there is one.
        tokens: ``prompt`` and ``completion`` counts of its answer, where told.
        cost: What the answer cost in USD, where the price is known and it was paid now.
        time_s: Seconds of the call that answered.
        cached: Whether the answer was had before.
        criteria: SHA-256 of the criteria it judged by.
        rating: The number it said, on the scale of the criteria; None without a score.
        asked_sha256: Hash of what it was asked.
        details: What else its model told, as in `prompts.models.Answer.details`, without log-probabilities.
    """

    model: str
    variant: Variant
    score: float | None
    weighted: bool
    reason: str
    error: dict[str, str] | None
    tokens: dict[str, int] | None
    cost: float | None
    time_s: float
    cached: bool
    criteria: str
    rating: float | None = None
    asked_sha256: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def is_fault(self) -> bool:
        """Whether the judge could not be asked, so that asking again may help."""
        return self.error is not None and self.error["kind"] not in OWN_FAULTS

    def to_json(self) -> dict[str, Any]:
        """Return the judgement as it stands on a record."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Judgement":
        """Read what `to_json` returned.

        Raises:
            ValueError: If it is something else.
        """
        try:
            read = cls(**value)
        except TypeError as error:
            raise ValueError(f"no judgement: {error}") from error
        wrong = [name for name, kinds in _KINDS.items() if not isinstance(getattr(read, name), kinds)]
        if wrong or not (read.score is None or 0 <= read.score <= 1):
            raise ValueError(f"{(wrong or ['score'])[0]} has a value that no judgement has")
        if (read.score is None) != (read.error is not None and {"kind", "message"} <= read.error.keys()):
            raise ValueError("there must be a score, or an error with kind and message")
        return read
