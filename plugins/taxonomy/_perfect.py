"""When nothing is wrong with a result."""

from collections.abc import Mapping
from typing import Any


def is_perfect(scores: Mapping[str, Any]) -> bool:
    """Whether a result is right value by value and, where that is defined, reaction by reaction.

    Args:
        scores: The ``scores`` of a record.
    """
    return scores["f1"] == 1.0 and scores.get("row_f1") in (None, 1.0)
