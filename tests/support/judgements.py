"""Judgements as tests need them."""

from typing import Any

from msgspec import convert, to_builtins

from retrocypher.plugins.runs.record import Judgement, JudgeRatings, Variant


def judgement(variant: Variant = "with_reference", score: float | None = 0.5, **fields: Any) -> Judgement:
    """Return a judgement; one without a score has an error."""
    error = None if score is not None else {"kind": "malformed", "message": "no JSON"}
    told: dict[str, Any] = {
        "model": "j",
        "variant": variant,
        "score": score,
        "weighted": False,
        "reason": "because" if score is not None else "",
        "error": error,
        "tokens": {"prompt": 10, "completion": 2},
        "cost": None,
        "time_s": 0.5,
        "cached": False,
        "criteria": "c" * 64,
        "rating": None if score is None else score * 10,
    }
    return convert({**told, **fields}, Judgement)


def judged(with_reference: float | None = 0.5, without_reference: float | None = 0.25) -> dict[str, Any]:
    """Return the ``judge`` of a record."""
    judge = JudgeRatings(
        "j",
        "c" * 64,
        judgement("with_reference", with_reference),
        judgement("without_reference", without_reference),
    )
    told: dict[str, Any] = to_builtins(judge)
    return told
