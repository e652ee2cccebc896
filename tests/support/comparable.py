"""Records as two runs of the same must have them."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any


def without_times(records: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return records by case, without what a clock or the cache decides.

    Args:
        records: The records; a case that comes twice is refused.
    """
    found: dict[str, dict[str, Any]] = {}
    for given in records:
        record = deepcopy(dict(given))
        assert record["case_id"] not in found, f"two records of {record['case_id']}"
        for turn in record["rounds"]:
            for name in ("time_s", "cached", "cost"):
                turn.pop(name)
            for finding in turn["findings"]:
                finding.pop("time_s", None)
        execution = record["execution"] or {}
        for timed in (execution, execution.get("fallback", {})):
            timed.pop("time_s", None)
        found[record["case_id"]] = record
    return found
