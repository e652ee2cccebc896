"""How far a judge agrees with execution, over some cases."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kg.questions import TASKS
from plugins.agreement._opinions import VARIANTS, Opinion
from plugins.statistics import (
    Estimate,
    Reliability,
    Resampler,
    auroc,
    cohen_kappa,
    kendall,
    mean_of,
    reliability,
    spearman,
)

_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Draws:
    """Resamples, drawn once for all numbers of as many molecules.

    Attributes:
        means: For means.
        others: For all else.
    """

    means: Resampler = field(default_factory=Resampler)
    others: Resampler = field(default_factory=lambda: Resampler(_RESAMPLES))


@dataclass(frozen=True, slots=True)
class Agreement:
    """The scores of a judge against F1, over some cases.

    Attributes:
        judged: How many cases have a score of the judge.
        unjudged: How many have none, by the kind of error.
        score: The mean score of the judge.
        f1: The mean F1 of the same cases.
        accepted: The share of cases that the judge takes for right.
        right: The share of cases whose F1 is 1.
        auroc: How likely a right case has a higher score than a wrong one.
        kappa: Cohen's kappa of *score at least 0.5* with *F1 is 1*.
        spearman: Rank correlation of score and F1.
        kendall: Kendall's tau-b of the same.
        reliability: The share of right cases by score, Brier score and calibration error.
    """

    judged: int
    unjudged: Mapping[str, int]
    score: Estimate
    f1: Estimate
    accepted: Estimate
    right: Estimate
    auroc: Estimate
    kappa: Estimate
    spearman: Estimate
    kendall: Estimate
    reliability: Reliability

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        numbers = ("score", "f1", "accepted", "right", "auroc", "kappa", "spearman", "kendall")
        return {
            "judged": self.judged,
            "unjudged": dict(self.unjudged),
            **{name: getattr(self, name).to_json() for name in numbers},
            "reliability": self.reliability.to_json(),
        }


@dataclass(frozen=True, slots=True)
class VariantAgreement:
    """A judge against execution, in one variant.

    Attributes:
        judge: Id of the judge's model.
        criteria: Hash of the criteria.
        variant: ``with_reference`` or ``without_reference``.
        overall: Over all cases.
        by_task: By task, in the order of tasks.
        disagreements: The cases in which score and F1 lie furthest apart, those first.
    """

    judge: str
    criteria: str
    variant: str
    overall: Agreement
    by_task: Mapping[str, Agreement]
    disagreements: Sequence[Opinion]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {
            "judge": self.judge,
            "criteria": self.criteria,
            "variant": self.variant,
            "overall": self.overall.to_json(),
            "by_task": {task: each.to_json() for task, each in self.by_task.items()},
            "disagreements": [
                {
                    "case_id": each.case_id,
                    "task": each.task,
                    "score": each.score,
                    "f1": each.f1,
                    "reason": each.reason,
                }
                for each in self.disagreements
            ],
        }


def agreement(cases: Sequence[Opinion], draws: Draws | None = None) -> Agreement:
    """Return how far a judge agrees with execution; cases it gave no score take no part.

    Args:
        cases: What one judge said in one variant.
        draws: Draws the resamples; the same for several agreements saves time.
    """
    draws = draws or Draws()
    judged = [each for each in cases if each.score is not None]
    scores = [float(each.score or 0) for each in judged]
    f1, right = [each.f1 for each in judged], [each.right for each in judged]
    accepted, molecules = [each.accepted for each in judged], [each.target for each in judged]
    return Agreement(
        judged=len(judged),
        unjudged=dict(Counter(each.trouble or "no score" for each in cases if each.score is None)),
        score=mean_of(scores, molecules, draws.means),
        f1=mean_of(f1, molecules, draws.means),
        accepted=mean_of([float(each) for each in accepted], molecules, draws.means),
        right=mean_of([float(each) for each in right], molecules, draws.means),
        auroc=auroc(scores, right, molecules, draws.others),
        kappa=cohen_kappa(accepted, right, molecules, draws.others),
        spearman=spearman(scores, f1, molecules, draws.others),
        kendall=kendall(scores, f1, molecules, draws.others),
        reliability=reliability(scores, right, molecules, draws.others),
    )


def agreements(cases: Iterable[Opinion], most: int = 10) -> list[VariantAgreement]:
    """Return the agreement of each judge and variant with execution, over all cases and by task.

    Args:
        cases: What judges said, in any order.
        most: How many of the cases to list in which judge and execution lie furthest apart.
    """
    groups, draws = by_judge(cases), Draws()
    return [
        VariantAgreement(
            *key,
            overall=agreement(groups[key], draws),
            by_task={
                task: agreement([each for each in groups[key] if each.task == task], draws)
                for task in _tasks(groups[key])
            },
            disagreements=disagreements(groups[key], most),
        )
        for key in groups
    ]


def by_judge(cases: Iterable[Opinion]) -> dict[tuple[str, str, str], list[Opinion]]:
    """Return what each judge said, by its model, the hash of its criteria and the variant, in this order."""
    groups: dict[tuple[str, str, str], list[Opinion]] = {}
    for each in cases:
        groups.setdefault((each.judge, each.criteria, each.variant), []).append(each)
    return {
        key: groups[key] for key in sorted(groups, key=lambda key: (key[0], key[1], VARIANTS.index(key[2])))
    }


def disagreements(cases: Iterable[Opinion], most: int) -> list[Opinion]:
    """Return the cases in which score and F1 lie furthest apart, those first.

    Args:
        cases: What a judge said.
        most: How many at most.
    """
    apart = (each for each in cases if each.apart > 0)
    return sorted(apart, key=lambda each: (-each.apart, each.case_id, each.variant))[:most]


def _tasks(cases: Iterable[Opinion]) -> list[str]:
    there = {each.task for each in cases}
    return [task for task in TASKS if task in there] + sorted(there - {*TASKS})
