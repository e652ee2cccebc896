"""The ledger as a table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

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
_COUNTS = ("cases", "repaired", "broken", "unchanged_right", "unchanged_wrong")
_SPENT = ("calls", "tokens", "seconds")


def ledger_rows(ledger: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the ledger as plain rows with the columns `COLUMNS`, for a report or a file.

    Args:
        ledger: The ``ledger`` of a ``summary.json``.

    Returns:
        For each model and loop a row with the label ``all``, then one a primary label of the first answer
        (``right`` for those with none), the most frequent first.
    """
    return [row for entry in ledger if entry["cases"] for row in _rows(entry)]


def render_ledger(ledger: Sequence[Mapping[str, Any]]) -> Group:
    """Return the ledger as tables for the terminal, 100 columns wide.

    Args:
        ledger: The ``ledger`` of a ``summary.json``.
    """
    parts: list[RenderableType] = []
    for entry in ledger:
        if entry["cases"]:
            parts += [*_head(entry), _table(entry), ""]
            if entry["validators"]:
                parts += [_validators(entry), ""]
    return Group(*parts[:-1])


def _rows(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for label, counts in ((ALL, entry), *entry["by_label"].items()):
        row = {name: entry[name] for name in COLUMNS[:3]} | {"label": label}
        row |= {name: counts[name] for name in _COUNTS}
        for rate in ("repair_rate", "breakage_rate"):
            row |= {rate: counts[rate]["value"]}
            row |= {f"{rate}_{end}": counts[rate][end] for end in ("low", "high")}
        row |= {name: counts[name] for name in (*_SPENT, "cost")}
        row |= {f"{name}_per_repaired": counts["per_repaired"][name]["value"] for name in _SPENT}
        yield row | {"cost_per_repaired": counts["per_repaired"]["cost"]}


def _head(entry: Mapping[str, Any]) -> Iterator[Text]:
    validator = f", validator {entry['validator']}" if entry["validator"] else ""
    yield Text(f"{entry['model']}, loop {entry['loop']}{validator}: before and after", style="bold")
    yield Text(
        f"repaired {_rate(entry['repair_rate'])} of {entry['repair_rate']['of']:,} wrong, "
        f"broken {_rate(entry['breakage_rate'])} of {entry['breakage_rate']['of']:,} right"
    )
    yield Text(
        f"mean F1 {entry['f1_before']:.3f} before, {entry['f1_after']:.3f} after, "
        f"gain {_rate(entry['f1_gain'])}"
    )
    if entry["cost"] is not None:
        each = entry["per_repaired"]["cost"]
        a_case = "" if each is None else f", {_usd(each)} a repaired case"
        yield Text(f"{_usd(entry['cost'])} beyond first answers{a_case}, at list prices")
    yield Text(
        f"{entry['calls']:,} calls, {entry['tokens']:,} tokens, {entry['seconds']:,.1f} s beyond first "
        "answers; below: by repaired case"
    )


def _table(entry: Mapping[str, Any]) -> Table:
    table = _empty()
    table.add_column("error of first answer", no_wrap=True)
    for name in ("cases", "repaired", "broken", "right", "wrong"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("repaired [95 %]", justify="right", no_wrap=True)
    for name in ("calls", "tokens", "s"):
        table.add_column(name, justify="right", no_wrap=True)
    for number, (label, counts) in enumerate(((ALL, entry), *entry["by_label"].items())):
        table.add_row(
            escape(label),
            *(f"{counts[name]:,}" for name in _COUNTS),
            _rate(counts["repair_rate"]),
            *(_number(counts["per_repaired"][name]["value"]) for name in _SPENT),
            style="" if number else "bold",
            end_section=not number,
        )
    return table


def _validators(entry: Mapping[str, Any]) -> Table:
    table = _empty()
    table.add_column("validator", no_wrap=True)
    table.add_column("looks", justify="right", no_wrap=True)
    for name in ("not detected", "not corrected", "false alarms"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("coverage", "malformed"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, told in entry["validators"].items():
        rates = ("non_detected_error_rate", "non_corrected_error_rate", "false_alarm_rate")
        coverage = told["error_coverage"]["value"]
        table.add_row(
            name,
            f"{told['looked_at']:,}",
            *(_rate(told[rate]) for rate in rates),
            "n/a" if coverage is None else f"{coverage:.3f}",
            f"{told['malformed']:,}",
        )
    return table


def _empty() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)


def _rate(rate: Mapping[str, Any]) -> str:
    if rate["value"] is None:
        return "n/a"
    if rate["low"] is None:
        return f"{rate['value']:.3f}"
    ends = ["?" if rate[end] is None else f"{rate[end]:.2f}" for end in ("low", "high")]
    return f"{rate['value']:.3f} [{ends[0]}, {ends[1]}]"


def _usd(value: float) -> str:
    return f"{value:,.2f} USD" if value >= 1 else f"{value:.6f} USD"


def _number(value: float | None) -> str:
    if value is None:
        return "n/a"
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
