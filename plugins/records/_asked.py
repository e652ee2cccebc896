"""Which rounds asked a model."""

from collections.abc import Mapping
from typing import Any


def asked_a_model(turn: Mapping[str, Any]) -> bool:
    """Return whether a round asked a model that reads messages, now or when its answer was first had.

    Such a call takes time. The models that look at the question alone take none, and of a text made once a
    run neither tokens nor time are told.
    """
    return turn["messages_sha256"] is not None and turn["time_s"] > 0
