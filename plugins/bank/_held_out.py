"""What is set aside for the final figures."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from kg.questions import Question
from plugins.bank._chance import shuffled
from prompts.models.mutations import Operator

_QUESTIONS = 10
_OPERATORS = 5


def held_out_questions(questions: Iterable[Question], seed: int) -> frozenset[str]:
    """Return the ids of a tenth of the questions, a tenth of each task and step count."""
    strata: dict[tuple[str, int], list[str]] = defaultdict(list)
    for question in questions:
        strata[question.task, question.steps].append(question.id)
    return frozenset(
        identifier
        for stratum, ids in strata.items()
        for identifier in shuffled(ids, seed, "held out", *stratum)[: round(len(ids) / _QUESTIONS)]
    )


def held_out_operators(operators: Sequence[Operator], seed: int) -> frozenset[str]:
    """Return the names of a fifth of the operators that plant errors.

    An operator is passed over where none of its label would be left to develop with.
    """
    errors = [operator for operator in operators if operator.kind == "error"]
    left = Counter(operator.label for operator in errors)
    chosen: set[str] = set()
    for operator in shuffled(errors, seed, "held out"):
        if len(chosen) < round(len(errors) / _OPERATORS) and left[operator.label] > 1:
            left[operator.label] -= 1
            chosen.add(operator.name)
    return frozenset(chosen)
