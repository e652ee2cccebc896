"""What a judge said of cases, beside what execution says of them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kg.errors import InputError
from kg.labels import name_of

VARIANTS = ("with_reference", "without_reference")

ACCEPTED = 0.5
"""The lowest score of a judge that is taken for *right*."""

_RIGHT = 1 - 1e-9
"""F1 from here on is 1: sums of floats end in digits that mean nothing."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One judgement of one case that execution has scored.

    Attributes:
        case_id: The case.
        question_id: Its question.
        target: The molecule that the question clusters by.
        task: Its task.
        model: The label of the model that answered.
        loop: The loop.
        judge: Id of the judge's model.
        criteria: Hash of the criteria that it judged by.
        variant: ``with_reference`` or ``without_reference``.
        score: The judge's score, 0 to 1; None where it gave none.
        reason: What it said; empty where it said nothing.
        trouble: The kind of error that kept it from a score; empty where it gave one.
        f1: What execution says.
        labels: What is wrong by execution, as in ``kg.labels``, details aside; empty where nothing is.
    """

    case_id: str
    question_id: str
    target: str
    task: str
    model: str
    loop: str
    judge: str
    criteria: str
    variant: str
    score: float | None
    reason: str
    trouble: str
    f1: float
    labels: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether execution finds the answer right: F1 is 1."""
        return self.f1 >= _RIGHT

    @property
    def accepted(self) -> bool:
        """Whether the judge takes it for right."""
        return self.score is not None and self.score >= ACCEPTED

    @property
    def apart(self) -> float:
        """How far the judge's score and F1 lie apart, 0 to 1; 0 without a score."""
        return 0.0 if self.score is None else abs(self.score - self.f1)


def opinions(records: Iterable[Mapping[str, Any]], targets: Mapping[str, str]) -> Iterator[Opinion]:
    """Yield what the judge said of each record that has a judgement and an F1.

    Args:
        records: Records as in ``records.jsonl``.
        targets: By question id, the molecule that the question clusters by; a question that is not in it is a
            cluster of its own.

    Raises:
        InputError: If a judgement on record has not the form that a judge gives it.
    """
    for record in records:
        yield from opinions_of(record, targets)


def opinions_of(record: Mapping[str, Any], targets: Mapping[str, str]) -> Iterator[Opinion]:
    """Yield what the judge said of one record, as `opinions` does."""
    judge, f1 = record.get("judge"), (record.get("scores") or {}).get("f1")
    if judge is None or f1 is None:
        return
    question = str(record["question_id"])
    for variant in VARIANTS:
        try:
            told = judge.get(variant)
            if told is None:
                continue
            score = told["score"]
            yield Opinion(
                case_id=str(record["case_id"]),
                question_id=question,
                target=targets.get(question, question),
                task=str(record["task"]),
                model=str(record["model"]),
                loop=str(record["loop"]),
                judge=str(judge["model"]),
                criteria=str(judge["criteria"]),
                variant=variant,
                score=None if score is None else _share(score),
                reason=str(told.get("reason") or ""),
                trouble=str((told.get("error") or {}).get("kind") or "") if score is None else "",
                f1=float(f1),
                labels=tuple(dict.fromkeys(name_of(str(label)) for label in record.get("errors") or ())),
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{record['case_id']}: its judgement cannot be read ({error!r}); judge the run again"
            ) from error


def _share(score: Any) -> float:
    value = float(score)
    if not 0 <= value <= 1:
        raise ValueError(f"{score} is no score from 0 to 1")
    return value
