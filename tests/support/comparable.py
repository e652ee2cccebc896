"""Records as two runs of the same must have them."""

from collections.abc import Iterable, Mapping
from typing import Any


def without_times(records: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return records by case, each of which may come once, without what a clock or the cache decides."""
    found: dict[str, dict[str, Any]] = {}
    for given in records:
        record: dict[str, Any] = _timeless(given)
        assert record["case_id"] not in found, f"two records of {record['case_id']}"
        for turn in record["rounds"]:
            for name in ("cached", "cost"):
                turn.pop(name)
        found[record["case_id"]] = record
    return found


def _timeless(value: Any) -> Any:
    """Copy a JSON value without the times in it, wherever they are."""
    if isinstance(value, Mapping):
        return {name: _timeless(part) for name, part in value.items() if name != "time_s"}
    return [_timeless(part) for part in value] if isinstance(value, list) else value
