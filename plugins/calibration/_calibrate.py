"""One judge calibrated."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata

from kg.errors import InputError
from kg.questions import QuestionSet
from kg.schema import default_schema_text
from plugins.bank import BankEntry
from plugins.calibration._bill import Bill
from plugins.calibration._calibration import Calibration
from plugins.calibration._measured import measure
from plugins.calibration._run import AskAll, ask_all, sizes
from plugins.calibration._sample import draw_sample
from plugins.judge import VARIANTS, Criteria, Variant


@dataclass(frozen=True, slots=True)
class Calibrated:
    """What came of a calibration.

    Attributes:
        calibration: Its figures.
        faults: Judgements that were not had because the judge could not be asked, by the kind of error. With
            any, the figures are not of the whole sample.
    """

    calibration: Calibration
    faults: Mapping[str, int]


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
    progress: Callable[[int, int], None] = lambda done, of: None,
    begin: Callable[[Bill], None] = lambda bill: None,
) -> Calibrated:
    """Have a judge say of known errors and known right queries whether they are right.

    Args:
        judge: Label of its model.
        model: What tells this model from others, as `judge_identity` says it.
        criteria: What it judges by.
        ask: Has tasks judged, as `Panel.judge` does.
        entries: A bank of known errors, or a part of one.
        questions: The questions it was made of.
        bank: What the bank is, in words.
        per_error: How many errors of each label to take.
        repeats: How often each query is judged.
        seed: Seed of the sample.
        variants: With the reference query, without it, or both.
        progress: Is told how many judgements are had, and of how many.
        begin: Is told what will be asked, before it is.

    Raises:
        InputError: If the bank has no error of one of the questions.
    """
    sample = draw_sample(entries, questions.questions, per_error, seed)
    if not any(not probe.right for probe in sample):
        raise InputError(f"{bank}: holds no error of one of these questions; name another with --bank DIR")
    asked = ask_all(
        sample,
        default_schema_text(),
        criteria,
        ask,
        variants=variants,
        repeats=repeats,
        progress=progress,
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
        variants={variant: measure(told) for variant, told in asked.verdicts.items()},
        calls={"all": asked.calls, "cached": asked.cached},
        tokens=dict(asked.tokens),
        cost=asked.cost,
    )
    return Calibrated(calibration, dict(asked.faults))
