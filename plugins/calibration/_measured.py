"""What a judge made of queries of which it is known whether they are right."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from kg.labels import LABELS
from plugins.agreement import ACCEPTED
from plugins.calibration._figures import Measured, Rate, Sensitivity, TestRetest
from plugins.calibration._sample import Probe, neutral_groups
from plugins.statistics import Estimate, auroc, cohen_kappa, mean_of, paired


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one query, each time it was asked.

    Attributes:
        probe: The query.
        scores: Its scores, 0 to 1; None where it gave none. The first is the one that rates are of.
        trouble: The kind of error that kept it from the first score; empty where there is none.
    """

    probe: Probe
    scores: tuple[float | None, ...]
    trouble: str = ""

    @property
    def score(self) -> float | None:
        """The first score."""
        return self.scores[0]

    @property
    def accepted(self) -> bool:
        """Whether the judge takes the query for right."""
        return _accepted(self.score or 0.0)


def measure(verdicts: Sequence[Verdict]) -> Measured:
    """Return how far a judge is right about queries; one without a first score takes no part.

    Args:
        verdicts: What it said, in one variant.
    """
    judged = [each for each in verdicts if each.score is not None]
    wrong = [each for each in judged if not each.probe.right]
    right = [each for each in judged if each.probe.right]
    truth, molecules = [each.probe.right for each in judged], _molecules(judged)
    return Measured(
        judged=len(judged),
        unjudged=dict(Counter(each.trouble or "no score" for each in verdicts if each.score is None)),
        false_accept_rate=_share(wrong, lambda each: each.accepted),
        false_reject_rate=_share(right, lambda each: not each.accepted),
        by_error={
            label: _rate([each for each in wrong if each.probe.group == label], lambda each: each.accepted)
            for label in LABELS
            if label in {each.probe.group for each in verdicts if not each.probe.right}
        },
        by_right={
            name: _rate([each for each in right if _kind(each) == name], lambda each: not each.accepted)
            for name in ("reference", *neutral_groups())
        },
        kappa=cohen_kappa([each.accepted for each in judged], truth, molecules),
        auroc=auroc([each.score or 0.0 for each in judged], truth, molecules),
        sensitivity=dict(_sensitivity(right)),
        test_retest=_test_retest(verdicts),
    )


def _sensitivity(right: Sequence[Verdict]) -> Iterable[tuple[str, Sensitivity]]:
    references = {each.probe.question.id: each for each in right if each.probe.kind == "reference"}
    for group in neutral_groups():
        pairs = [
            (references[each.probe.question.id], each)
            for each in right
            if each.probe.group == group and each.probe.question.id in references
        ]
        before = [reference.score or 0.0 for reference, _ in pairs]
        after = [variant.score or 0.0 for _, variant in pairs]
        molecules = _molecules([variant for _, variant in pairs])
        apart = [abs(b - a) for a, b in zip(before, after, strict=True)]
        turned = [float(reference.accepted != variant.accepted) for reference, variant in pairs]
        yield (
            group,
            Sensitivity(
                paired(before, after, molecules).difference if pairs else _nothing(),
                mean_of(apart, molecules),
                mean_of(turned, molecules),
            ),
        )


def _test_retest(verdicts: Sequence[Verdict]) -> TestRetest:
    repeats = max((len(each.scores) for each in verdicts), default=0)
    told = [(each, [score for score in each.scores if score is not None]) for each in verdicts]
    whole = [(each, scores) for each, scores in told if len(scores) == repeats > 1]
    molecules = _molecules([each for each, _ in whole])
    turned = [float(len({_accepted(score) for score in scores}) > 1) for _, scores in whole]
    return TestRetest(
        repeats,
        mean_of([statistics.stdev(scores) for _, scores in whole], molecules),
        max((max(scores) - min(scores) for _, scores in whole), default=None),
        mean_of(turned, molecules),
    )


def _rate(verdicts: Sequence[Verdict], mistaken: Callable[[Verdict], bool]) -> Rate:
    scores = [each.score or 0.0 for each in verdicts]
    return Rate(_share(verdicts, mistaken), mean_of(scores, _molecules(verdicts)))


def _share(verdicts: Sequence[Verdict], mistaken: Callable[[Verdict], bool]) -> Estimate:
    return mean_of([float(mistaken(each)) for each in verdicts], _molecules(verdicts))


def _molecules(verdicts: Iterable[Verdict]) -> list[str]:
    return [each.probe.question.target for each in verdicts]


def _kind(verdict: Verdict) -> str:
    return verdict.probe.group or verdict.probe.kind


def _accepted(score: float) -> bool:
    return score >= ACCEPTED


def _nothing() -> Estimate:
    return Estimate(None, None, None, 0, 0)
