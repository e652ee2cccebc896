"""Calibrations of judges, without asking one."""

from functools import cache
from pathlib import Path

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.judge.bank import load_bank
from retrocypher.plugins.judge.calibration import Verdict, draw_sample, measure
from retrocypher.plugins.judge.calibration_run import sizes
from retrocypher.plugins.judge.stored_calibration import Calibration
from support.judged import CRITERIA

BANK = Path(__file__).parents[1] / "data" / "bank"
JUDGE_ENTRY = {
    "model": {"label": "j", "kind": "openai", "argument": "model-j"},
    "api": "http://localhost/v1",
    "criteria": CRITERIA,
    "rows": 0,
}
"""What a manifest says of the judge that `calibration` is of."""


@cache
def calibration(mistaken: int = 0, silent: int = 0) -> Calibration:
    """Return the calibration of a judge that is mistaken about, and silent on, each so many; 0 for none."""
    sample = draw_sample(load_bank("development", BANK), load_questions().questions, 3)
    verdicts = []
    for number, item in enumerate(sample):
        right = item.right != bool(mistaken and number % mistaken == 0)
        score = None if silent and number % silent == 1 else float(right)
        verdicts.append(Verdict(item, (score,), "" if score is not None else "malformed"))
    return Calibration(
        judge="j",
        model="model-j",
        criteria=CRITERIA,
        rows=0,
        made="2026-01-02T03:04:05+00:00",
        retrocypher="1",
        questions_sha256="q",
        bank="a bank",
        bank_entries=444,
        seed=0,
        per_error=3,
        repeats=1,
        sample=sizes(sample),
        variants={"with_reference": measure(verdicts)},
        calls={"all": len(sample), "cached": 0},
        tokens={},
        cost=None,
    )
