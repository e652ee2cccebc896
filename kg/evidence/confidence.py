"""How sure a fact of the graph is, from the sources that agree with it or differ."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec
import yaml

from retrocypher.kg.evidence.evidence import Evidence, Fact, FactKind, Source, Verdict

COUNTS_FILE = Path(__file__).with_name("counts.yaml")


class Counts(msgspec.Struct, frozen=True):
    """Right and wrong facts among the labelled ones."""

    right: int
    wrong: int


class KindCounts(msgspec.Struct, frozen=True):
    """The labelled facts of a kind: all, and by what each source says of them."""

    all: Counts
    sources: dict[Source, dict[Verdict, Counts]] = {}


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """Naive Bayes over the verdicts of the sources, with rates from labelled facts.

    The prior odds of a kind are those of Beta(1 + right, 1 + wrong). A verdict multiplies them by the ratio
    of its rates among right and wrong facts, each the mean of a Beta posterior with the prior Beta(1, 1).
    A silent source does not move them, nor does one that says the same of all labelled facts of the kind.
    Rates of sources are taken for independent of each other (Hand & Yu 2001, "Idiot's Bayes: not so stupid
    after all?").
    """

    kinds: Mapping[FactKind, KindCounts]

    def confidence(self, kind: FactKind, verdicts: Iterable[tuple[Source, Verdict]]) -> float:
        """Return the probability, from 0 to 1, that a fact of this kind is right."""
        counts = self.kinds[kind]
        odds = math.log((1 + counts.all.right) / (1 + counts.all.wrong))
        for source, verdict in verdicts:
            by_verdict = counts.sources.get(source, {})
            # A source that never differs, or never agrees, among labelled facts tells nothing there.
            if len(by_verdict) > 1:
                odds += _log_ratio(by_verdict, verdict)
        return 1 / (1 + math.exp(-odds))

    def confidences(self, evidence: Iterable[Evidence]) -> dict[Fact, float]:
        """Return the confidence of each fact, from 0 to 1."""
        # Few verdicts differ, and there are 70,000 facts.
        confidence = cache(self.confidence)
        return {each.fact: confidence(each.fact.kind, each.verdicts) for each in evidence}


def exclusive(confidences: Sequence[float]) -> list[float]:
    """Return the probabilities of facts of which at most one is right, from their confidences one by one.

    Each is in proportion to its odds, and that none is right to 1. A confidence must be below 1.
    """
    odds = [each / (1 - each) for each in confidences]
    return [each / (1 + sum(odds)) for each in odds]


def _log_ratio(by_verdict: Mapping[Verdict, Counts], verdict: Verdict) -> float:
    here = by_verdict.get(verdict, Counts(0, 0))
    right = sum(each.right for each in by_verdict.values())
    wrong = sum(each.wrong for each in by_verdict.values())
    return math.log((1 + here.right) / (2 + right)) - math.log((1 + here.wrong) / (2 + wrong))


@cache
def default_model() -> ConfidenceModel:
    """Return the model with the shipped counts."""
    return ConfidenceModel(
        msgspec.convert(yaml.safe_load(COUNTS_FILE.read_text()), dict[FactKind, KindCounts])
    )
