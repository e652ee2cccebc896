"""The result of a calibration, and all that says what it is of."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.judge.agreement import ACCEPTED
from retrocypher.plugins.judge.calibration_sample import CalibrationItem, neutral_groups
from retrocypher.plugins.judge.criteria import Criteria, JudgeCase
from retrocypher.plugins.judge.metric import characters
from retrocypher.plugins.runs.manifest import JudgeEntry
from retrocypher.plugins.runs.record import Variant
from retrocypher.plugins.statistics.correlation import auroc
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import mean_of
from retrocypher.plugins.statistics.paired import paired
from retrocypher.plugins.statistics.reliability import cohen_kappa


def judge_identity(judge: JudgeEntry) -> str:
    """Return what tells a judge's model from others: its name behind an API, or the hash of its file.

    Neither the label that a user gives it nor the address of the API is a part of it.
    """
    model = judge.model
    return f"file {model.file_sha256}" if model.file_sha256 else model.argument or model.kind


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a judge is mistaken about one kind of query.

    Attributes:
        rate: The share of the judged queries.
        score: Their mean score.
    """

    rate: Estimate
    score: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {"rate": self.rate.to_json(), "score": self.score.to_json()}


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How a score moves when a right query is written in another way.

    Attributes:
        change: Mean score of the variants less that of their references, -1 to 1.
        size: Mean distance of the two scores, 0 to 1.
        turned: The share of variants that are accepted where their reference is not, or the reverse.
    """

    change: Estimate
    size: Estimate
    turned: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {name: getattr(self, name).to_json() for name in ("change", "size", "turned")}


@dataclass(frozen=True, slots=True)
class TestRetest:
    """How much a judge differs from itself, over queries that it scored each time.

    Attributes:
        repeats: How often each was judged.
        spread: The mean standard deviation of the scores of a query (n - 1).
        largest: The largest distance of two scores of one query; None without a query.
        turned: The share of queries that were not always accepted, nor always rejected.
    """

    repeats: int
    spread: Estimate
    largest: float | None
    turned: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        told = {"spread": self.spread.to_json(), "turned": self.turned.to_json()}
        return {"repeats": self.repeats, "largest": self.largest, **told}


@dataclass(frozen=True, slots=True)
class Measured:
    """A judge against what is known.

    Attributes:
        judged: How many queries have a score.
        unjudged: How many have none, by the kind of error.
        false_accept_rate: The share of errors that the judge takes for right.
        false_reject_rate: The share of right queries that it takes for wrong.
        by_error: The first, for each label of errors.
        by_right: The second, for references and each group of neutral variants.
        kappa: Cohen's kappa of *score at least 0.5* with *right*.
        auroc: How likely a right query has a higher score than a wrong one.
        sensitivity: By group of neutral operators, how the score moves.
        test_retest: How much the judge differs from itself.
    """

    judged: int
    unjudged: Mapping[str, int]
    false_accept_rate: Estimate
    false_reject_rate: Estimate
    by_error: Mapping[str, Rate]
    by_right: Mapping[str, Rate]
    kappa: Estimate
    auroc: Estimate
    sensitivity: Mapping[str, Sensitivity]
    test_retest: TestRetest

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        numbers = ("false_accept_rate", "false_reject_rate", "kappa", "auroc", "test_retest")
        groups = ("by_error", "by_right", "sensitivity")
        return {
            "judged": self.judged,
            "unjudged": dict(self.unjudged),
            **{name: getattr(self, name).to_json() for name in numbers},
            **{
                name: {group: each.to_json() for group, each in getattr(self, name).items()}
                for name in groups
            },
        }


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


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one query, each time it was asked.

    Attributes:
        item: The query.
        scores: Its scores, 0 to 1; None where it gave none. The first is the one that rates are of.
        trouble: The kind of error that kept it from the first score; empty where there is none.
    """

    item: CalibrationItem
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
    """Return how far a judge is right about queries; one without a first score takes no part."""
    judged = [each for each in verdicts if each.score is not None]
    wrong = [each for each in judged if not each.item.right]
    right = [each for each in judged if each.item.right]
    truth, molecules = [each.item.right for each in judged], _molecules(judged)
    return Measured(
        judged=len(judged),
        unjudged=dict(Counter(each.trouble or "no score" for each in verdicts if each.score is None)),
        false_accept_rate=_share(wrong, lambda each: each.accepted),
        false_reject_rate=_share(right, lambda each: not each.accepted),
        by_error={
            label: _rate([each for each in wrong if each.item.group == label], lambda each: each.accepted)
            for label in LABELS
            if label in {each.item.group for each in verdicts if not each.item.right}
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
    references = {each.item.question.id: each for each in right if each.item.kind == "reference"}
    for group in neutral_groups():
        pairs = [
            (references[each.item.question.id], each)
            for each in right
            if each.item.group == group and each.item.question.id in references
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
    return [each.item.question.target for each in verdicts]


def _kind(verdict: Verdict) -> str:
    return verdict.item.group or verdict.item.kind


def _accepted(score: float) -> bool:
    return score >= ACCEPTED


def _nothing() -> Estimate:
    return Estimate(None, None, None, 0, 0)


_CHARACTERS_A_TOKEN = 3.5
_TOKENS_BACK = 70


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What is to be asked, were nothing in the cache.

    Attributes:
        queries: How many queries are judged.
        calls: How many judgements that makes, over variants and repeats.
        prompt: About how many tokens are sent: a token for 3.5 characters.
        completion: About how many come back: 70 a judgement.
    """

    queries: int
    calls: int
    prompt: int
    completion: int


def estimate_cost(
    cases: Sequence[JudgeCase], criteria: Criteria, variants: Sequence[Variant], repeats: int
) -> CostEstimate:
    """Return what is to be asked.

    Args:
        repeats: How often each.
    """
    calls = len(cases) * len(variants) * repeats
    once = sum(characters(case, variant, criteria) for case in cases for variant in variants)
    return CostEstimate(len(cases), calls, round(once * repeats / _CHARACTERS_A_TOKEN), calls * _TOKENS_BACK)
