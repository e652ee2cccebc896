"""Tables of a summary and of a ledger, for a terminal of 80 columns."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from retrocypher.kg.labels.error_labels import name_of
from retrocypher.plugins.analysis.group import MEASURED, pooled
from retrocypher.plugins.analysis.ledger import ALL, COUNTS, SPENT
from retrocypher.plugins.analysis.summary import in_order
from retrocypher.plugins.formatting.text import counted, usd
from retrocypher.plugins.runs.record import VARIANTS

_OF_FALLBACKS = ("recall", "f1")
_ANSWERED = ("written", "insufficient", "empty", "failed")


def lines_below(cells: Sequence[Mapping[str, Any]], wordings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lines below the table of one model and loop: its ``cells`` and ``wordings`` of a summary."""
    yield from _labels(cells)
    yield from _fallbacks(cells)
    yield from _answers(cells)
    yield from _judgements(cells)
    yield from _wordings(wordings)


def _labels(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """All primary labels, details aside, the most frequent first; nothing where nothing was wrong."""
    counts: Counter[str] = Counter()
    passed = 0
    for cell in cells:
        errors = cell.get("errors", {})
        passed += errors.get("passed", 0)
        for label, count in errors.get("primary", {}).items():
            counts[name_of(label)] += count
    if counts:
        also = f" (and of {passed:,} that passed, but not row by row)" if passed else ""
        shown = ", ".join(f"{name} {count:,}" for name, count in counts.most_common())
        yield f"primary labels of the failed cases{also}: {shown}"


def _fallbacks(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    found = [cell["fallback"] for cell in cells if "fallback" in cell]
    recall, f1 = (pooled((each["means"][name], each["cases"]) for each in found) for name in _OF_FALLBACKS)
    if recall and f1:
        yield (
            f"fallback in {counted(recall.count, 'case')}: mean recall {recall.mean:.3f}, "
            f"F1 {f1.mean:.3f} of its rows, in no other mean"
        )


def _answers(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    found = [cell["answers"] for cell in cells if "answers" in cell]
    if not found:
        return
    states: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    for each in found:
        states.update({name: each[name] for name in _ANSWERED})
        verdicts.update(each["verdicts"])
    said = ", ".join(f"{states[name]:,} {name}" for name in _ANSWERED if states[name] or name == "written")
    shown = ", ".join(f"{name} {count:,}" for name, count in sorted(verdicts.items()))
    support = pooled((each["support"], each.get("claiming", 0)) for each in found)
    held = f"mean support {support.mean:.3f} (of {support.count:,} with claims)" if support else ""
    yield f"answers: {'; '.join(filter(None, (said, shown, held)))}"
    judged = [each["judge"] for each in found if "judge" in each]
    means = [part for name in MEASURED if (part := _mean_of(name, judged))]
    lacking: Counter[str] = Counter()
    for each in judged:
        lacking.update(each["without_score"])
    none = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in lacking.most_common())
    if means or none:
        yield f"answers by the judge: {'; no score: '.join(filter(None, (', '.join(means), none)))}"


def _mean_of(name: str, judged: Sequence[Mapping[str, Any]]) -> str:
    all_cells = pooled((each[name]["mean"], each[name]["count"]) for each in judged if name in each)
    return f"{name.replace('_', ' ')} {all_cells.mean:.3f} (of {all_cells.count:,})" if all_cells else ""


def _judgements(cells: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    found = [cell["judge"] for cell in cells if "judge" in cell]
    for variant in VARIANTS:
        told = [each[variant] for each in found]
        scored = pooled((each["mean"], each["scored"]) for each in told)
        kinds: Counter[str] = Counter()
        for each in told:
            kinds.update(each["no_score"])
        if not (scored or kinds.total()):
            continue
        mean = f"mean {scored.mean:.3f} of {counted(scored.count, 'case')}" if scored else ""
        lacking = ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common())
        said = filter(None, (mean, f"no score: {lacking}" if lacking else ""))
        yield f"judge {variant.replace('_', ' ')}: {'; '.join(said)}"


def _wordings(wordings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if len(wordings) > 1:
        means = ((each["phrasing"], each["means"]["f1"]) for each in wordings)
        shown = (f"{number}: {'n/a' if mean is None else f'{mean:.3f}'}" for number, mean in means)
        yield f"mean F1 by wording: {', '.join(shown)}"


_TIMES = "\N{MULTIPLICATION SIGN}"
_COUNTS = ("cases", "passed", "failed", "infrastructure_errors")
_SCORES = ("precision", "recall", "f1")


def render_table(
    summary: Mapping[str, Any],
    notes: Mapping[str, str] | None = None,
    models: Sequence[str] = (),
    loops: Sequence[str] = (),
) -> Group:
    """Return the scores of a summary by task, prompt and shot: one table for each model and loop.

    Args:
        notes: Remarks by label of a model, such as that its run was interrupted.
        models: Labels of models in the order of their tables; others come after these.
    """
    notes = notes or {}
    tables: list[RenderableType] = []
    ordered = in_order(summary["cells"], models, loops)
    for (model, loop), cells in groupby(ordered, key=lambda cell: (cell["model"], cell["loop"])):
        title = model if loop == "none" else f"{model}, loop {loop}"
        title += f" ({notes[model]})" if notes.get(model) else ""
        rows = list(cells)
        wordings = [each for each in summary["wordings"] if (each["model"], each["loop"]) == (model, loop)]
        tables += [_model_table(title, rows), *map(Text, lines_below(rows, wordings)), ""]
    return Group(*tables[:-1])


def _model_table(title: str, cells: list[Mapping[str, Any]]) -> Table:
    table = Table(
        title=escape(title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=0,
    )
    # Closer than in the cells: the table is to fit 80 columns.
    table.add_column(f"prompt{_TIMES}shot", no_wrap=True)
    table.add_column("task", no_wrap=True)
    for name in ("cases", "P", "R", "F1", "passed", "failed", "not run"):
        table.add_column(name, justify="right", no_wrap=True)
    for (prompt, shot), group in groupby(cells, key=lambda cell: (cell["prompt"], cell["shot"])):
        rows = list(group)
        for number, cell in enumerate(rows):
            table.add_row(
                "" if number else escape(f"{prompt} {_TIMES} {shot}"), cell["task"], *_numbers(cell)
            )
        table.add_row("", "all", *_numbers(_together(rows)), style="bold", end_section=True)
    return table


def _numbers(cell: Mapping[str, Any]) -> list[str]:
    scores = ["n/a" if cell["means"][name] is None else f"{cell['means'][name]:.3f}" for name in _SCORES]
    cases, *rest = (f"{cell[name]:,}" for name in _COUNTS)
    return [cases, *scores, *rest]


def _together(cells: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Take the tasks of one prompt and shot together; every case weighs the same."""
    means: dict[str, float | None] = {}
    for name in _SCORES:
        scored = pooled((cell["means"][name], cell["scored"]) for cell in cells)
        means[name] = scored.mean if scored else None
    return {**{name: sum(cell[name] for cell in cells) for name in _COUNTS}, "means": means}


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
    """Return the ``ledger`` of a summary as tables.

    Args:
        unpriced: By label of a model, the name of the one that plays its roles, if that has no list price.
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
    return f"{_rate(rate)} of {rate['of']:,}"


def _number(value: float | None) -> str:
    if value is None:
        return "n/a"
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
