"""Calibration of a judge: the queries, what is measured, and what it costs."""

import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, TypeVar

import yaml

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.labels.error_labels import LABELS, name_of
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.judge.bank_candidates import BankEntry
from retrocypher.plugins.judge.criteria import Criteria, JudgeCase
from retrocypher.plugins.judge.metric import characters
from retrocypher.plugins.judge.stored_calibration import (
    ACCEPTED,
    JudgedQuery,
    Measured,
    Rate,
    Sensitivity,
    TestRetest,
    agreement_of,
)
from retrocypher.plugins.runs.record import Variant
from retrocypher.plugins.statistics.intervals import NO_ESTIMATE, Estimate
from retrocypher.plugins.statistics.means import mean_of
from retrocypher.plugins.statistics.paired import paired

_ROUTES = "reaction_nodes"
"""The column in which references of routes return them."""


def gold_execution(question: Question) -> Execution:
    """Return the result of a question's reference query, without a graph.

    A gold answer is what the reference returned when the question was made. Rows of the graph differ in their
    order, and in the ids that a database gives its nodes.
    """
    columns = list(question.gold[0]) if question.gold else []
    rows = [[row[name] for name in columns] for row in question.gold]
    if columns == ["route"]:
        columns, rows = [_ROUTES], [[[_reaction(number) for number in row["route"]]] for row in question.gold]
    return Execution("ok", columns=columns, rows=rows, row_count=len(rows))


def _reaction(number: int) -> Mapping[str, Any]:
    return {"$node": {"id": str(number), "labels": ["Reaction"], "properties": {"id": number}}}


OTHER = "other"

ItemKind = Literal["reference", "neutral", "error"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CalibrationItem:
    """A query of which it is known whether it is right."""

    id: str
    question: Question
    cypher: str
    execution: Execution
    kind: ItemKind
    """``reference``; ``neutral``, a reference that was changed and is as right; or ``error``."""
    group: str = ""
    """Of a neutral one, the group of its operator; of an error, its label without detail; else empty."""
    operator: str = ""
    """Who changed the reference; empty for the reference itself."""

    @property
    def right(self) -> bool:
        """Whether it answers its question."""
        return self.kind != "error"


@cache
def neutral_groups() -> Mapping[str, tuple[str, ...]]:
    """Return the groups of neutral operators by name, as ``sample.yaml`` lists them, and `OTHER`."""
    sample = yaml.safe_load(
        resources.files(__package__).joinpath("calibration_sample.yaml").read_text("utf-8")
    )
    return {**{name: tuple(operators) for name, operators in sample["neutral"].items()}, OTHER: ()}


def draw_sample(
    entries: Iterable[BankEntry], questions: Iterable[Question], per_error: int, seed: int = 0
) -> list[CalibrationItem]:
    """Draw planted errors of each label, and as many right queries or a few more.

    Right ones are neutral variants and the references of the same questions, so that what a variant changes
    can be told; where the bank has too few variants, references of the errors' questions make the numbers
    even. Operators and tasks take turns.

    Args:
        entries: A bank, or a part of one; matters of style are passed over.
        per_error: How many errors of each label, at least 1; fewer where the bank has fewer.
    """
    asked = {question.id: question for question in questions}
    errors: dict[str, list[BankEntry]] = defaultdict(list)
    neutral: dict[str, list[BankEntry]] = {name: [] for name in neutral_groups()}
    for entry in entries:
        if entry.question_id not in asked:
            continue
        if entry.kind == "error" and entry.label is not None:
            errors[name_of(entry.label)].append(entry)
        elif entry.kind == "neutral":
            neutral[_group(entry.operator)].append(entry)
    wrong = [
        _item(entry, asked, "error", label)
        for label, found in errors.items()
        for entry in _in_turn(found, per_error, random.Random(f"{seed}:{label}"))
    ]
    # Each variant brings a reference with it, so two right queries.
    each_group = -(-len(wrong) // (2 * len(neutral)))
    varied = [
        _item(entry, asked, "neutral", group)
        for group, found in neutral.items()
        for entry in _in_turn(found, each_group, random.Random(f"{seed}:{group}"))
    ]
    needed = dict.fromkeys(item.question.id for item in varied)
    for item in wrong:
        if len(needed) + len(varied) < len(wrong):
            needed[item.question.id] = None
    return [*(_reference(asked[name]) for name in needed), *varied, *wrong]


def _in_turn(entries: Sequence[BankEntry], count: int, rng: random.Random) -> list[BankEntry]:
    """Return some entries: operators take turns, and the tasks of each operator."""
    by_operator = _grouped(entries, lambda entry: entry.operator, rng)
    queues = [_turns(_grouped(found, lambda entry: entry.task, rng)) for found in by_operator]
    return _turns(queues)[:count]


def _grouped(things: Iterable[T], key: Callable[[T], str], rng: random.Random) -> list[list[T]]:
    groups: dict[str, list[T]] = {}
    for thing in things:
        groups.setdefault(key(thing), []).append(thing)
    found = list(groups.values())
    for group in found:
        rng.shuffle(group)
    rng.shuffle(found)
    return found


def _turns(queues: Sequence[Sequence[T]]) -> list[T]:
    longest = max(map(len, queues), default=0)
    return [queue[turn] for turn in range(longest) for queue in queues if turn < len(queue)]


def _group(operator: str) -> str:
    return next((name for name, operators in neutral_groups().items() if operator in operators), OTHER)


def _item(entry: BankEntry, asked: Mapping[str, Question], kind: ItemKind, group: str) -> CalibrationItem:
    name = "-".join(
        [entry.question_id, *([entry.base] if entry.base else []), entry.operator, str(entry.place)]
    )
    question = asked[entry.question_id]
    return CalibrationItem(name, question, entry.cypher, entry.execution, kind, group, entry.operator)


def _reference(question: Question) -> CalibrationItem:
    return CalibrationItem(
        f"{question.id}-reference",
        question,
        question.reference_cypher,
        gold_execution(question),
        "reference",
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one query, each time it was asked."""

    item: CalibrationItem
    scores: tuple[float | None, ...]
    """Its scores, 0 to 1; None where it gave none. The first is the one that rates are of."""
    trouble: str = ""
    """The kind of error that kept it from the first score; empty where there is none."""

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
    queries = [
        JudgedQuery(f"{each.item.id}#{place}", each.item.right, each.item.question.target, list(each.scores))
        for place, each in enumerate(verdicts)
    ]
    kappa, area = agreement_of(queries)
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
            name: _rate(
                [each for each in right if name == (each.item.group or each.item.kind)],
                lambda each: not each.accepted,
            )
            for name in ("reference", *neutral_groups())
        },
        kappa=kappa,
        auroc=area,
        sensitivity=dict(_sensitivity(right)),
        test_retest=_test_retest(verdicts),
        queries=queries,
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
                paired(before, after, molecules).difference if pairs else NO_ESTIMATE,
                mean_of(apart, molecules),
                mean_of(turned, molecules),
            ),
        )


def _test_retest(verdicts: Sequence[Verdict]) -> TestRetest:
    repeats = max((len(each.scores) for each in verdicts), default=0)
    scored = [(each, [score for score in each.scores if score is not None]) for each in verdicts]
    whole = [(each, scores) for each, scores in scored if len(scores) == repeats > 1]
    molecules = _molecules([each for each, _ in whole])
    turned = [float(len({_accepted(score) for score in scores}) > 1) for _, scores in whole]
    return TestRetest(
        repeats=repeats,
        largest=max((max(scores) - min(scores) for _, scores in whole), default=None),
        spread=mean_of([statistics.stdev(scores) for _, scores in whole], molecules),
        turned=mean_of(turned, molecules),
    )


def _rate(verdicts: Sequence[Verdict], mistaken: Callable[[Verdict], bool]) -> Rate:
    scores = [each.score or 0.0 for each in verdicts]
    return Rate(_share(verdicts, mistaken), mean_of(scores, _molecules(verdicts)))


def _share(verdicts: Sequence[Verdict], mistaken: Callable[[Verdict], bool]) -> Estimate:
    return mean_of([float(mistaken(each)) for each in verdicts], _molecules(verdicts))


def _molecules(verdicts: Iterable[Verdict]) -> list[str]:
    return [each.item.question.target for each in verdicts]


def _accepted(score: float) -> bool:
    return score >= ACCEPTED


_CHARACTERS_A_TOKEN = 3.5
_TOKENS_BACK = 70


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """What is to be asked, were nothing in the cache."""

    queries: int
    calls: int
    """How many judgements that makes, over variants and repeats."""
    prompt: int
    """About how many tokens are sent: a token for 3.5 characters."""
    completion: int
    """About how many come back: 70 a judgement."""


def estimate_cost(
    cases: Sequence[JudgeCase], criteria: Criteria, variants: Sequence[Variant], repeats: int
) -> CostEstimate:
    """Return what is to be asked."""
    calls = len(cases) * len(variants) * repeats
    once = sum(characters(case, variant, criteria) for case in cases for variant in variants)
    return CostEstimate(len(cases), calls, round(once * repeats / _CHARACTERS_A_TOKEN), calls * _TOKENS_BACK)
