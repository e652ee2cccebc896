"""How well a validator tells the bank's errors from its right queries."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Protocol

from kg.labels import name_of
from kg.questions import Question, phrase
from plugins.bank._entry import BankEntry
from prompts.validation import Validation

REFERENCE = "reference"
NEUTRAL = "neutral"
COMPOSITION = "composition"
RIGHT = (REFERENCE, NEUTRAL, COMPOSITION)


class Validator(Protocol):
    """What judges a query by its text and the question's."""

    def validate(self, query: str, question: str) -> Validation:
        """Return the verdict."""


@dataclass(slots=True)
class ValidatorFigures:
    """What a validator found in queries whose faults are known.

    Attributes:
        errors: Planted errors by label, details aside.
        found: Those in which anything was found, by planted label.
        named: Those whose first finding has the planted label, by planted label.
        right: Right queries by kind: the references, neutral variants, compositions of several.
        alarms: Those in which anything was found, by kind.
        missed: Errors in which nothing was found, by operator.
        blamed: False alarms, by operator and label of the first finding.
        milliseconds: CPU time of each verdict.
    """

    errors: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    alarms: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    blamed: Counter[tuple[str, str]] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the counts as one JSON object, the most frequent misses and false alarms first."""
        return {
            "errors": {
                label: {"planted": count, "found": self.found[label], "named_first": self.named[label]}
                for label, count in self.errors.items()
            },
            "right_queries": {
                kind: {"judged": self.right[kind], "false_alarms": self.alarms[kind]} for kind in RIGHT
            },
            "missed": [
                {"operator": operator, "queries": count} for operator, count in self.missed.most_common()
            ],
            "blamed": [
                {"operator": operator, "label": label, "queries": count}
                for (operator, label), count in self.blamed.most_common()
            ],
            "median_ms": round(self.median_ms, 3),
        }

    @property
    def found_share(self) -> float:
        """The share of errors that were found, in [0, 1]; 0 where there are none."""
        return self.found.total() / self.errors.total() if self.errors else 0.0

    @property
    def alarm_share(self) -> float:
        """The share of right queries in which a fault was found, in [0, 1]; 0 where there are none."""
        return self.alarms.total() / self.right.total() if self.right else 0.0

    @property
    def median_ms(self) -> float:
        """The median CPU time of a verdict in milliseconds; 0 where there was none."""
        return median(self.milliseconds) if self.milliseconds else 0.0

    def judge(self, validator: Validator, entry: BankEntry, question: str) -> None:
        """Count an entry in: an error as found or missed, a neutral variant as passed or blamed."""
        if entry.kind == "style":
            return
        labels = self._labels(validator, entry.cypher, question)
        if entry.kind == "error" and entry.label is not None:
            label = name_of(entry.label)
            self.errors[label] += 1
            self.found[label] += bool(labels)
            self.named[label] += labels[:1] == [label]
            if not labels:
                self.missed[entry.operator] += 1
        else:
            self._right(COMPOSITION if "+" in entry.operator else NEUTRAL, entry.operator, labels)

    def judge_reference(self, validator: Validator, question: Question) -> None:
        """Count a reference query in."""
        self._right(REFERENCE, REFERENCE, self._labels(validator, question.reference_cypher, question.text))

    def _right(self, kind: str, operator: str, labels: Sequence[str]) -> None:
        self.right[kind] += 1
        self.alarms[kind] += bool(labels)
        if labels:
            self.blamed[operator, labels[0]] += 1

    def _labels(self, validator: Validator, query: str, question: str) -> list[str]:
        begun = time.process_time()
        findings = validator.validate(query, question).findings
        self.milliseconds.append(1000 * (time.process_time() - begun))
        return [name_of(finding.label) for finding in findings]


def evaluate_validator(
    validator: Validator,
    entries: Iterable[BankEntry],
    questions: Sequence[Question],
    phrasings: Iterable[int],
) -> ValidatorFigures:
    """Return what a validator finds in a bank's entries and in the reference queries of all questions.

    Args:
        validator: Is given the query and the question's text, and nothing else.
        entries: Of a bank; those of style are left out.
        questions: The questions that the bank was made from.
        phrasings: The wordings in which each question is asked, by number.
    """
    figures = ValidatorFigures()
    by_id = {question.id: question for question in questions}
    judged = tuple(entries)
    for number in phrasings:
        for entry in judged:
            figures.judge(validator, entry, phrase(by_id[entry.question_id], number).text)
        for question in questions:
            figures.judge_reference(validator, phrase(question, number))
    return figures
