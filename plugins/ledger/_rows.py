"""The ledger as plain rows."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

COLUMNS = (
    "model",
    "loop",
    "validator",
    "label",
    "cases",
    "repaired",
    "broken",
    "unchanged_right",
    "unchanged_wrong",
    "repair_rate",
    "repair_rate_low",
    "repair_rate_high",
    "breakage_rate",
    "breakage_rate_low",
    "breakage_rate_high",
    "calls",
    "tokens",
    "seconds",
    "cost",
    "calls_per_repaired",
    "tokens_per_repaired",
    "seconds_per_repaired",
    "cost_per_repaired",
)
ALL = "all"
COUNTS = ("cases", "repaired", "broken", "unchanged_right", "unchanged_wrong")
SPENT = ("calls", "tokens", "seconds")


def ledger_rows(ledger: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the ledger as plain rows with the columns `COLUMNS`, for a report or a file.

    Args:
        ledger: The ``ledger`` of a ``summary.json``.

    Returns:
        For each model and loop a row with the label ``all``, then one a primary label of the first answer
        (``right`` for those with none), the most frequent first.
    """
    return [row for entry in ledger if entry["cases"] for row in _rows(entry)]


def _rows(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for label, counts in ((ALL, entry), *entry["by_label"].items()):
        row = {name: entry[name] for name in COLUMNS[:3]} | {"label": label}
        row |= {name: counts[name] for name in COUNTS}
        for rate in ("repair_rate", "breakage_rate"):
            row |= {rate: counts[rate]["value"]}
            row |= {f"{rate}_{end}": counts[rate][end] for end in ("low", "high")}
        row |= {name: counts[name] for name in (*SPENT, "cost")}
        row |= {f"{name}_per_repaired": counts["per_repaired"][name]["value"] for name in SPENT}
        yield row | {"cost_per_repaired": counts["per_repaired"]["cost"]}
