"""Calibrates a judge on queries of which it is known whether they are right."""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata

from msgspec import structs

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import QuestionSet
from retrocypher.kg.semantics.schema import default_schema_text
from retrocypher.plugins.formatting.progress import throttled
from retrocypher.plugins.judge.bank_candidates import BankEntry
from retrocypher.plugins.judge.calibration import (
    CalibrationItem,
    CostEstimate,
    Verdict,
    draw_sample,
    estimate_cost,
    measure,
)
from retrocypher.plugins.judge.criteria import Criteria, JudgeCase
from retrocypher.plugins.judge.judge import Task
from retrocypher.plugins.judge.stored_calibration import Calibration
from retrocypher.plugins.runs.record import VARIANTS, Judgement, Variant

_logger = logging.getLogger(__name__)

AskAll = Callable[[Iterable[Task]], Iterable[tuple[Task, Judgement]]]


@dataclass(slots=True)
class Collected:
    """The judgements of a calibration, and what they cost."""

    verdicts: dict[Variant, list[Verdict]] = field(default_factory=dict)
    """By variant, what the judge said of each query, in the order of the sample."""
    faults: Counter[str] = field(default_factory=Counter)
    """Judgements that were not had because the judge could not be asked, by the kind of error."""
    why: str = ""
    """Why the judge could not be asked first; empty if it always could."""
    calls: int = 0
    cached: int = 0
    """How many of them were had before."""
    tokens: Counter[str] = field(default_factory=Counter)
    cost: float | None = 0.0
    """USD of the answers that were paid for now; None where the price of one is not known."""

    def add(self, judgement: Judgement) -> None:
        """Count a judgement in."""
        self.calls += 1
        self.cached += judgement.cached
        self.tokens.update(structs.asdict(judgement.tokens) if judgement.tokens else {})
        if judgement.is_fault and judgement.error is not None:
            self.faults[judgement.error.kind] += 1
            self.why = self.why or judgement.error.message
        elif not judgement.cached:
            known = self.cost is not None and judgement.cost is not None
            self.cost = (self.cost or 0.0) + (judgement.cost or 0.0) if known else None


def ask_all(
    sample: Sequence[CalibrationItem],
    schema: str,
    criteria: Criteria,
    ask: AskAll,
    *,
    variants: Sequence[Variant],
    repeats: int = 1,
    begin: Callable[[CostEstimate], None] = lambda estimate: None,
) -> Collected:
    """Have each query of a sample judged in each variant, as often as asked for."""
    cases = [_case(place, item, schema, criteria) for place, item in enumerate(sample)]
    begin(estimate_cost(cases, criteria, variants, repeats))
    places = {case.case_id: place for place, case in enumerate(cases)}
    judgements: dict[tuple[Variant, int, int], Judgement] = {}
    log = throttled(_logger)
    collected, of = Collected(), len(cases) * len(variants) * repeats
    for task, judgement in ask(_tasks(cases, variants, repeats)):
        judgements[task.variant, places[task.case.case_id], task.repeat] = judgement
        collected.add(judgement)
        log(f"{collected.calls:,} of {of:,} judgements")
    for variant in variants:
        collected.verdicts[variant] = [
            _verdict(item, [judgements[variant, place, repeat] for repeat in range(repeats)])
            for place, item in enumerate(sample)
        ]
    return collected


def sizes(sample: Iterable[CalibrationItem]) -> Mapping[str, int]:
    """Return how many queries of a sample are of which kind; neutral ones by group."""
    counts = Counter(item.group if item.kind == "neutral" else item.kind for item in sample)
    return dict(counts)


def _tasks(cases: Sequence[JudgeCase], variants: Sequence[Variant], repeats: int) -> Iterator[Task]:
    for repeat in range(repeats):
        for variant in variants:
            yield from (Task(case, variant, repeat) for case in cases)


def _case(place: int, item: CalibrationItem, schema: str, criteria: Criteria) -> JudgeCase:
    shown = criteria.rows > 0 and item.execution.status == "ok"
    return JudgeCase(
        case_id=f"{item.id}#{place}",
        question=item.question.text,
        schema=schema,
        cypher=item.cypher,
        reference=item.question.reference_cypher,
        columns=item.execution.columns if shown else None,
        rows=item.execution.rows if shown else None,
    )


def _verdict(item: CalibrationItem, judgements: Sequence[Judgement]) -> Verdict:
    first = judgements[0]
    trouble = "" if first.error is None else first.error.kind
    return Verdict(item, tuple(each.score for each in judgements), trouble)


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A calibration and its faults."""

    calibration: Calibration
    faults: Mapping[str, int]
    """Judgements that were not had because the judge could not be asked, by the kind of error. With any, the
    figures are not of the whole sample."""
    why: str = ""
    """As in `Collected`."""


def calibrate(
    judge: str,
    model: str,
    criteria: Criteria,
    ask: AskAll,
    entries: Sequence[BankEntry],
    questions: QuestionSet,
    *,
    bank: str,
    per_error: int,
    repeats: int = 1,
    seed: int = 0,
    variants: Sequence[Variant] = VARIANTS,
    begin: Callable[[CostEstimate], None] = lambda estimate: None,
) -> Calibrated:
    """Calibrate a judge on known errors and right queries; raise InputError without an error."""
    sample = draw_sample(entries, questions.questions, per_error, seed)
    if not any(not item.right for item in sample):
        raise InputError(f"{bank}: holds no error of one of these questions; name another with --bank DIR")
    collected = ask_all(
        sample,
        default_schema_text(),
        criteria,
        ask,
        variants=variants,
        repeats=repeats,
        begin=begin,
    )
    calibration = Calibration(
        judge=judge,
        model=model,
        criteria=criteria.sha256,
        rows=criteria.rows,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        retrocypher=metadata.version("retrocypher"),
        questions_sha256=questions.sha256,
        bank=bank,
        bank_entries=len(entries),
        seed=seed,
        per_error=per_error,
        repeats=repeats,
        sample=sizes(sample),
        variants={variant: measure(judgements) for variant, judgements in collected.verdicts.items()},
        calls={"all": collected.calls, "cached": collected.cached},
        tokens=dict(collected.tokens),
        cost=collected.cost,
    )
    return Calibrated(calibration, dict(collected.faults), collected.why)
