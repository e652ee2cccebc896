"""Which model a judge is."""

from collections.abc import Mapping
from typing import Any


def judge_identity(facts: Mapping[str, Any]) -> str:
    """Return what tells a judge's model from others: its name behind an API, or the hash of its file.

    Neither the label that a user gives it nor the address of the API is a part of it.

    Args:
        facts: What the manifest of a run says of its judge.
    """
    model = facts["model"]
    weights = model.get("file_sha256")
    return f"file {weights}" if weights else str(model["argument"] or model["kind"])
