"""The ledger for the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from plugins.ledger._rows import ALL, COUNTS, SPENT
from plugins.terminal import counted, usd

_REPAIRS = "rate of repair, and what a repaired case took:"
_RATES = {
    "retrieval_error_rate": "retrieval error rate",
    "non_detected_error_rate": "non-detected error rate",
    "non_corrected_error_rate": "non-corrected error rate",
    "false_alarm_rate": "false alarm rate",
    "error_coverage": "error coverage",
}
_OF_ITS_ANSWERS = ("non_detected_error_rate", "non_corrected_error_rate", "false_alarm_rate")


def render_ledger(ledger: Sequence[Mapping[str, Any]], unpriced: Mapping[str, str] | None = None) -> Group:
    """Return the ledger as tables for the terminal, 80 columns wide.

    Args:
        ledger: The ``ledger`` of a ``summary.json``.
        unpriced: By label of a model, the name of the one that plays its roles, where that has no list price.
    """
    parts: list[RenderableType] = []
    for entry in ledger:
        if entry["cases"]:
            parts += [*_head(entry, (unpriced or {}).get(entry["model"])), _cases(entry), ""]
            if any(_wrong(counts) for counts in entry["by_label"].values()):
                parts += [_REPAIRS, _repairs(entry), ""]
            if entry["validators"]:
                parts += [_validators(entry), ""]
    return Group(*parts[:-1])


def _head(entry: Mapping[str, Any], unpriced: str | None) -> Iterator[Text]:
    validator = f", validator {entry['validator']}" if entry["validator"] else ""
    yield Text(f"{entry['model']}, loop {entry['loop']}{validator}: before and after", style="bold")
    yield Text(f"repaired {_of(entry['repair_rate'])} wrong, broken {_of(entry['breakage_rate'])} right")
    yield Text(
        f"mean F1 {entry['f1_before']:.3f} before, {entry['f1_after']:.3f} after, "
        f"gain {_gain(entry['f1_gain'])}"
    )
    yield Text(
        f"{counted(entry['calls'], 'call')}, {counted(entry['tokens'], 'token')}, {entry['seconds']:,.1f} s "
        "beyond first answers"
    )
    if entry["cost"] is not None:
        each = entry["per_repaired"]["cost"]
        a_case = "" if each is None else f", {usd(each)} a repaired case"
        yield Text(f"{usd(entry['cost'])} beyond first answers{a_case}, at list prices")
    elif unpriced is not None and entry["calls"]:
        yield Text(f"no list price for {unpriced}")


def _cases(entry: Mapping[str, Any]) -> Table:
    table = _empty("error of first answer")
    for name in ("cases", "repaired", "broken", "stayed right", "stayed wrong"):
        table.add_column(name, justify="right", no_wrap=True)
    for number, (label, counts) in enumerate(((ALL, entry), *entry["by_label"].items())):
        table.add_row(
            escape(label),
            *(f"{counts[name]:,}" for name in COUNTS),
            style="" if number else "bold",
            end_section=not number,
        )
    return table


def _repairs(entry: Mapping[str, Any]) -> Table:
    """What repairs took, for the labels of wrong first answers."""
    priced = entry["cost"] is not None
    table = _empty("error of first answer")
    table.add_column("repair rate [95 %]", justify="right", no_wrap=True)
    for name in (*SPENT, *(["USD"] if priced else [])):
        table.add_column(name, justify="right", no_wrap=True)
    for number, (label, counts) in enumerate(((ALL, entry), *entry["by_label"].items())):
        if _wrong(counts):
            spent = counts["per_repaired"]
            cost = "n/a" if spent["cost"] is None else f"{spent['cost']:.6f}"
            table.add_row(
                escape(label),
                _rate(counts["repair_rate"]),
                *(_number(spent[name]["value"]) for name in SPENT),
                *([cost] if priced else []),
                style="" if number else "bold",
                end_section=not number,
            )
    return table


def _validators(entry: Mapping[str, Any]) -> Table:
    """One column a validator: rates with interval and denominator are wide."""
    table = _empty("validator")
    validators = entry["validators"]
    for name in validators:
        table.add_column(escape(name), justify="right", no_wrap=True)
    for field, heading in (("looked_at", "looked at"), ("malformed", "malformed")):
        table.add_row(heading, *(f"{told[field]:,}" for told in validators.values()))
    for field, heading in _RATES.items():
        table.add_row(heading, *(_of_validator(told, field) for told in validators.values()))
    return table


def _of_validator(told: Mapping[str, Any], field: str) -> str:
    # One that was never understood has judged nothing.
    if field in _OF_ITS_ANSWERS and told["malformed"] == told["looked_at"]:
        return "n/a"
    return _of(told[field])


def _wrong(counts: Mapping[str, Any]) -> bool:
    return bool(counts["repair_rate"]["of"])


def _empty(heading: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    table.add_column(heading, no_wrap=True)
    return table


def _rate(rate: Mapping[str, Any]) -> str:
    if rate["value"] is None:
        return "n/a"
    if rate["low"] is None:
        return f"{rate['value']:.3f}"
    ends = ["?" if rate[end] is None else f"{rate[end]:.2f}" for end in ("low", "high")]
    return f"{rate['value']:.3f} [{ends[0]}, {ends[1]}]"


def _gain(gain: Mapping[str, Any]) -> str:
    # The point 0 is the interval of a loop that changed no case; of other cases it knows nothing.
    return "0.000, since no F1 changed" if gain["low"] == gain["high"] == 0 else _rate(gain)


def _of(rate: Mapping[str, Any]) -> str:
    """Return a rate with what it is of."""
    return f"{_rate(rate)} of {rate['of']:,}"


def _number(value: float | None) -> str:
    if value is None:
        return "n/a"
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
