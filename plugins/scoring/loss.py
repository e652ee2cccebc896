"""Why a query leaves out some of the right reactions or routes, by which ones it leaves out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from retrocypher.kg.graph.reaction import Reaction

Answer = tuple[Reaction, ...]
"""A right reaction, or the reactions of a right route."""

_UNKNOWN = -1.0
"""Stands for a yield that is not known, which any condition on yields leaves out."""

_FEW = 5
"""Answers that a SKIP leaves out at most."""


class Split(NamedTuple):
    """The right answers on a small graph: those that a query returns, and those that it leaves out."""

    kept: Sequence[Answer]
    lost: Sequence[Answer]
    reactions: Sequence[Reaction]
    """All reactions of the graph."""
    rows: int
    """The number of rows that the query returns."""
    products: int
    """The number of products that the question names."""


def explain_loss(splits: Sequence[Split]) -> tuple[str, str] | None:
    """Return the label of a query that leaves out right answers, and why it does.

    A number of answers that is the same on all graphs is a limit. Answers that all lack a component are left
    out by a pattern that demands it. What else tells the kept answers from the lost ones is a condition that
    the question does not have. Of answers that nothing tells apart, some are lost.

    Returns:
        None if none is left out, or all are.
    """
    kept = [(answer, each) for each in splits for answer in each.kept]
    lost = [(answer, each) for each in splits for answer in each.lost]
    if not kept or not lost:
        return None
    lossy = [each for each in splits if each.lost]
    skipped = max(len(each.lost) for each in lossy)
    for count_of in (lambda each: len(each.kept), lambda each: each.rows):
        most = max(map(count_of, splits))
        cut = all(count_of(each) == most for each in lossy)
        if most and cut and (len(lossy) > 1 or skipped > _FEW):
            return "limit", f"returns no more than {most:,} of the answers, however many there are"
    for count in range(1, len(_PARTS) + 1):
        for parts in combinations(_PARTS, count):
            if all(_has(parts, *each) for each in kept) and not any(_has(parts, *each) for each in lost):
                return "duplicate_or_incomplete", f"leaves out what has no {' and '.join(parts)}"
    for name in ("agents", "solvents"):
        if all(getattr(each[0], name) for each, _ in kept) and not any(
            getattr(each[0], name) for each, _ in lost
        ):
            # The routes begin with them instead of reactants.
            return "wrong_relationship", f"leaves out routes whose first reaction has no {name}"
    for name, number_of in _NUMBERS.items():
        numbers = [number_of(*each) for each in kept]
        if not any(min(numbers) <= number_of(*each) <= max(numbers) for each in lost):
            return "other", f"chooses by {name}, which the question does not ask for"
    largest = max(splits, key=lambda each: len(each.kept) + len(each.lost))
    if skipped <= _FEW and all(len(each.lost) == skipped for each in [largest, *lossy]):
        return "limit", f"leaves out {skipped:,} of the answers, however many there are"
    if any(_numbers(each.kept, each) & _numbers(each.lost, each) for each in splits):
        return "duplicate_or_incomplete", "leaves out some of several answers that are alike"
    return "other", "chooses by something that the question does not ask for"


_PARTS = ("agents", "solvents", "further products")


def _has(parts: Sequence[str], answer: Answer, split: Split) -> bool:
    """Whether each reaction has all of some components."""
    has = {
        "agents": all(each.agents for each in answer),
        "solvents": all(each.solvents for each in answer),
        "further products": all(len(each.products) > split.products for each in answer),
    }
    return all(has[part] for part in parts)


def _yields(answer: Answer) -> list[float]:
    return [max((value for value in each.yields if value is not None), default=_UNKNOWN) for each in answer]


def _makers(answer: Answer, split: Split) -> int:
    """How many reactions make the reactant of the first reaction that the fewest make."""
    made = Counter(name for each in split.reactions for name in each.products)
    return min(made[name] for name in answer[0].reactants)


_NUMBERS: Mapping[str, Callable[[Answer, Split], float]] = {
    "agents": lambda answer, _: any(each.agents for each in answer),
    "solvents": lambda answer, _: any(each.solvents for each in answer),
    "the number of reactants": lambda answer, _: max(len(each.reactants) for each in answer),
    "the number of products": lambda answer, _: max(len(each.products) for each in answer),
    "the lowest yield": lambda answer, _: min(_yields(answer)),
    "the highest yield": lambda answer, _: max(_yields(answer)),
    "the reactions that make a reactant": _makers,
}


def _numbers(answers: Sequence[Answer], split: Split) -> set[tuple[float, ...]]:
    return {tuple(number_of(each, split) for number_of in _NUMBERS.values()) for each in answers}
