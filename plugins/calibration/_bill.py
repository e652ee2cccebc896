"""What a calibration asks for, told before it is paid for."""

from collections.abc import Sequence
from dataclasses import dataclass

from plugins.judge import Criteria, JudgeCase, Variant, characters

_CHARACTERS_A_TOKEN = 3.5
_TOKENS_BACK = 70


@dataclass(frozen=True, slots=True)
class Bill:
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


def bill(cases: Sequence[JudgeCase], criteria: Criteria, variants: Sequence[Variant], repeats: int) -> Bill:
    """Return what is to be asked.

    Args:
        cases: The queries.
        criteria: What they are judged by.
        variants: Which variants.
        repeats: How often each.
    """
    calls = len(cases) * len(variants) * repeats
    once = sum(characters(case, variant, criteria) for case in cases for variant in variants)
    return Bill(len(cases), calls, round(once * repeats / _CHARACTERS_A_TOKEN), calls * _TOKENS_BACK)
