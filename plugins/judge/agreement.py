"""What a judge said of cases, beside what execution says of them."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml
from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import LABELS, name_of
from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.judge.stored_calibration import ACCEPTED
from retrocypher.plugins.runs.record import VARIANTS, Record
from retrocypher.plugins.statistics.correlation import (
    Reliability,
    auroc,
    cohen_kappa,
    kendall,
    reliability,
    spearman,
)
from retrocypher.plugins.statistics.intervals import Estimate, Resampler
from retrocypher.plugins.statistics.means import mean_of

_RIGHT = 1 - 1e-9
"""F1 from here on is 1: sums of floats end in digits that mean nothing."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One judgement of one case that execution has scored."""

    case_id: str
    question_id: str
    cluster: str
    """The cluster of the question."""
    task: str
    model: str
    loop: str
    judge: str
    criteria: str
    variant: str
    score: float | None
    """The judge's score, 0 to 1; None where it gave none."""
    reason: str
    trouble: str
    """The kind of error that kept it from a score; empty where it gave one."""
    f1: float
    labels: tuple[str, ...] = ()
    """What is wrong by execution, as in ``kg.labels``, without details; empty where nothing is."""

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


def all_ratings(records: Iterable[Record], clusters: Mapping[str, str]) -> Iterator[Rating]:
    """Yield the judgements of each record that has scores; ``clusters`` are by question id."""
    for record in records:
        yield from ratings_of(record, clusters)


def ratings_of(record: Record, clusters: Mapping[str, str]) -> Iterator[Rating]:
    """Yield the judgements of one record, as `ratings` does."""
    if record.judge is None or record.scores is None:
        return
    for variant, judgement in record.judge.judgements.items():
        yield Rating(
            case_id=record.case_id,
            question_id=record.question_id,
            cluster=clusters.get(record.question_id, record.question_id),
            task=record.task,
            model=record.model,
            loop=record.loop,
            judge=record.judge.model,
            criteria=record.judge.criteria,
            variant=variant,
            score=judgement.score,
            reason=judgement.reason,
            trouble=judgement.error.kind if judgement.error else "",
            f1=record.scores.f1,
            labels=tuple(dict.fromkeys(map(name_of, record.errors))),
        )


def _share(score: Any) -> float:
    value = float(score)
    if not 0 <= value <= 1:
        raise ValueError(f"{score} is no score from 0 to 1")
    return value


NO_REASON = "no reason"
UNCLEAR = "unclear"
"""What a reason is filed under that names no error."""

_FILE = "issues.yaml"
_CUT = re.compile(r"[.;:,!?\n]+(?=\s|$)|\b(?:but|although|though|whereas|while|yet)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Issue:
    """Words that tell one kind of error."""

    label: str
    says: re.Pattern[str] | None
    """Words that tell it by themselves; None where there are none."""
    about: re.Pattern[str] | None
    """Words that tell it in a clause that says something is wrong; None where there are none."""


@dataclass(frozen=True, slots=True)
class Issues:
    """All words, as ``issues.yaml`` explains them."""

    faults: re.Pattern[str]
    praise: re.Pattern[str]
    issues: tuple[Issue, ...]

    def of(self, reason: str) -> tuple[str, ...]:
        """Return the labels that a reason names; `NO_REASON` or `UNCLEAR` alone if it names none."""
        if not reason.strip():
            return (NO_REASON,)
        found = (self._of_clause(clause) for clause in _CUT.split(reason))
        return tuple(dict.fromkeys(label for label in found if label)) or (UNCLEAR,)

    def _of_clause(self, clause: str) -> str | None:
        wrong = self.faults.search(clause) is not None
        if not wrong and self.praise.search(clause):
            return None
        said = (each.label for each in self.issues if each.says and each.says.search(clause))
        about = (each.label for each in self.issues if each.about and each.about.search(clause))
        return next(said, None) or (next(about, None) if wrong else None)


@cache
def load_issues() -> Issues:
    """Return the words of ``issues.yaml``; raise InputError if it has another form."""
    return parse_issues(resources.files(__package__).joinpath(_FILE).read_text("utf-8"))


def parse_issues(text: str) -> Issues:
    """Return the words of a YAML text; raises as `load_issues`."""
    try:
        body = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(f"{_FILE} is not YAML: {error}. Restore it from the repository.") from error
    if not isinstance(body, dict) or body.keys() != {"faults", "praise", "issues"}:
        raise InputError(f"{_FILE} must hold faults, praise and issues, and nothing else.")
    faults, praise = (_words(body[name], name) for name in ("faults", "praise"))
    if faults is None or praise is None or not isinstance(body["issues"], list):
        raise InputError(f"{_FILE}: faults, praise and issues must be lists that are not empty.")
    return Issues(faults, praise, tuple(_issue(entry) for entry in body["issues"]))


def _issue(entry: Any) -> Issue:
    if not isinstance(entry, dict) or entry.keys() != {"label", "says", "about"}:
        raise InputError(f"{_FILE}: an issue must hold label, says and about, and nothing else.")
    if entry["label"] not in LABELS:
        raise InputError(f"{_FILE}: {entry['label']!r} is no label of kg/labels/labels.yaml.")
    says, about = (_words(entry[name], f"{entry['label']}, {name}") for name in ("says", "about"))
    return Issue(entry["label"], says, about)


def _words(value: Any, name: str) -> re.Pattern[str] | None:
    if not isinstance(value, list) or not all(isinstance(each, str) and each.strip() for each in value):
        raise InputError(f"{_FILE}: {name} must be a list of words.")
    return re.compile("|".join(map(_pattern, value)), re.IGNORECASE) if value else None


def _pattern(words: Sequence[str] | str) -> str:
    parts = str(words).split()
    spelled = r"\s+".join(re.escape(part).replace(r"\*", r"\w*") for part in parts)
    return rf"(?<!\w){spelled}(?!\w)"


class Agreement(Struct, frozen=True, kw_only=True):
    """The scores of a judge against F1, over some cases."""

    judged: int
    """Number of cases with a score of the judge."""
    unjudged: dict[str, int]
    """Number of cases without one, by the kind of error."""
    score: Estimate
    f1: Estimate
    """Mean F1 of the same cases."""
    accepted: Estimate
    """Share of cases that the judge accepts."""
    right: Estimate
    """Share of cases whose F1 is 1."""
    auroc: Estimate
    """Probability that a right case has a higher score than a wrong one."""
    kappa: Estimate
    """Cohen's kappa of *score at least 0.5* with *F1 is 1*."""
    spearman: Estimate
    """Rank correlation of score and F1."""
    kendall: Estimate
    """Kendall's tau-b of the same."""
    reliability: Reliability
    """Share of right cases by score, Brier score and calibration error."""


class Disagreement(Struct, frozen=True):
    """A case in which judge and execution disagree."""

    case_id: str
    task: str
    score: float | None
    """The judge's score, from 0 to 1."""
    f1: float
    reason: str


class VariantAgreement(Struct, frozen=True):
    """The agreement of a judge with execution, in one variant."""

    judge: str
    criteria: str
    """SHA-256 of the criteria."""
    variant: str
    overall: Agreement
    by_task: dict[str, Agreement]
    disagreements: list[Disagreement]
    """The cases with the largest distance of score and F1, in descending order."""


def agreement(cases: Sequence[Rating], resampler: Resampler | None = None) -> Agreement:
    """Return how far a judge agrees with execution; cases it gave no score take no part."""
    resampler = resampler or Resampler()
    judged = [each for each in cases if each.score is not None]
    scores = [float(each.score or 0) for each in judged]
    f1, right = [each.f1 for each in judged], [each.right for each in judged]
    accepted, clusters = [each.accepted for each in judged], [each.cluster for each in judged]
    return Agreement(
        judged=len(judged),
        unjudged=dict(Counter(each.trouble or "no score" for each in cases if each.score is None)),
        score=mean_of(scores, clusters),
        f1=mean_of(f1, clusters),
        accepted=mean_of([float(each) for each in accepted], clusters),
        right=mean_of([float(each) for each in right], clusters),
        auroc=auroc(scores, right, clusters, resampler),
        kappa=cohen_kappa(accepted, right, clusters, resampler),
        spearman=spearman(scores, f1, clusters, resampler),
        kendall=kendall(scores, f1, clusters, resampler),
        reliability=reliability(scores, right, clusters, resampler),
    )


def agreements(cases: Iterable[Rating], most: int = 10) -> list[VariantAgreement]:
    """Return the agreement of each judge and variant with execution, over all cases and by task."""
    groups, resampler = by_judge(cases), Resampler()
    return [
        VariantAgreement(
            *key,
            overall=agreement(groups[key], resampler),
            by_task={
                task: agreement([each for each in groups[key] if each.task == task], resampler)
                for task in _tasks(groups[key])
            },
            disagreements=[
                Disagreement(each.case_id, each.task, each.score, each.f1, each.reason)
                for each in disagreements(groups[key], most)
            ],
        )
        for key in groups
    ]


def by_judge(cases: Iterable[Rating]) -> dict[tuple[str, str, str], list[Rating]]:
    """Return what each judge said, by its model, the hash of its criteria and the variant, in this order."""
    groups: dict[tuple[str, str, str], list[Rating]] = {}
    for each in cases:
        groups.setdefault((each.judge, each.criteria, each.variant), []).append(each)
    return {
        key: groups[key] for key in sorted(groups, key=lambda key: (key[0], key[1], VARIANTS.index(key[2])))
    }


def disagreements(cases: Iterable[Rating], most: int) -> list[Rating]:
    """Return the cases in which score and F1 lie furthest apart, those first."""
    apart = (each for each in cases if each.apart > 0)
    return sorted(apart, key=lambda each: (-each.apart, each.case_id, each.variant))[:most]


def _tasks(cases: Iterable[Rating]) -> list[str]:
    there = {each.task for each in cases}
    return [task for task in TASKS if task in there] + sorted(there - {*TASKS})
