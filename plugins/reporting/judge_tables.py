"""Tables of a judge's agreement and calibration, and of the bank of known errors, for 80 columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.mutations.registry import OPERATORS
from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.analysis.bank_counts import (
    OPERATOR_ROWS,
    BankCounts,
    BankTotals,
    drop_reasons,
    dropped_mutants,
)
from retrocypher.plugins.formatting.text import counted, one_line, usd
from retrocypher.plugins.judge.agreement import VariantAgreement
from retrocypher.plugins.judge.bank_candidates import BankManifest
from retrocypher.plugins.judge.stored_calibration import Calibration, Measured, Rate, TestRetest
from retrocypher.plugins.reporting.numbers import estimate_text, interval, three_digits
from retrocypher.plugins.reporting.run_tables import counted_table
from retrocypher.plugins.statistics.intervals import Estimate

_LISTED = 5
_TWICE = 2
_VARIANTS = {"with_reference": "with the reference query", "without_reference": "without the reference query"}


def agreement_table(found: Sequence[VariantAgreement]) -> Group:
    """Return how well each judge and variant agrees with execution, and the largest disagreements."""
    parts: list[RenderableType] = []
    for each in found:
        parts += [Text(f"agreement with execution, {each.variant.replace('_', ' ')}", style="bold")]
        parts += [_by_task(each), *map(Text, _agreement_lines(each)), ""]
    return Group(*parts)


def _by_task(found: VariantAgreement) -> RenderableType:
    table = counted_table("", "task", "cases", "judge", "F1", "kappa", "95 % interval", "AUROC")
    for task, each in (*found.by_task.items(), ("all", found.overall)):
        table.add_row(
            one_line(task),
            f"{each.judged:,}",
            three_digits(each.score.value),
            three_digits(each.f1.value),
            three_digits(each.kappa.value, "+"),
            interval(each.kappa, "+", ""),
            three_digits(each.auroc.value),
        )
    return table


def _agreement_lines(found: VariantAgreement) -> Iterator[str]:
    overall = found.overall
    yield f"AUROC {_with_ends(overall.auroc)}, Brier score {_with_ends(overall.reliability.brier)}"
    yield f"Spearman {_with_ends(overall.spearman, '+')}, Kendall {_with_ends(overall.kendall, '+')}"
    yield f"expected calibration error {_with_ends(overall.reliability.ece)}"
    if found.disagreements:
        yield "furthest apart:"
    for each in found.disagreements[:_LISTED]:
        yield f"  {one_line(each.case_id)}: F1 {each.f1:.3f}, judge {each.score or 0:.3f}"


def calibration_table(calibration: Calibration) -> Group:
    """Return the figures of a calibration, variant by variant."""
    parts: list[RenderableType] = [*map(Text, _calibration_head(calibration))]
    for variant, measured in calibration.variants.items():
        parts += ["", Text(_VARIANTS[variant], style="bold"), *map(Text, _calibration_lines(measured)), ""]
        parts += [_rates("errors taken for right", "label", measured.by_error), ""]
        parts += [_rates("right queries taken for wrong", "kind", measured.by_right), ""]
        parts += [_sensitivity(measured)]
    return Group(*parts)


def _calibration_head(calibration: Calibration) -> Iterator[str]:
    kinds = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in calibration.sample.items())
    yield f"judge {one_line(calibration.judge)}, criteria {calibration.criteria[:8]}"
    yield f"{sum(calibration.sample.values()):,} queries: {kinds}"
    yield f"errors and variants: {calibration.bank}, {calibration.bank_entries:,} entries"
    cost = f", {usd(calibration.cost)}" if calibration.cost else ""
    calls, cached = calibration.calls["all"], calibration.calls["cached"]
    tokens = sum(calibration.tokens.values())
    yield f"{counted(calls, 'judgement')}, {cached:,} from the cache; {tokens:,} tokens{cost}"


def _calibration_lines(measured: Measured) -> Iterator[str]:
    accepts, rejects = measured.false_accept_rate, measured.false_reject_rate
    yield f"false accepts   {estimate_text(accepts)} of {accepts.n:,} errors"
    yield f"false rejects   {estimate_text(rejects)} of {rejects.n:,} right queries"
    yield f"kappa           {estimate_text(measured.kappa)}"
    yield f"AUROC           {estimate_text(measured.auroc)}"
    yield from _retest(measured.test_retest)
    if measured.unjudged:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in measured.unjudged.items())
        yield f"no score        {kinds}; these are in no number"


def _retest(found: TestRetest) -> Iterator[str]:
    if found.largest is None:
        once = "each query was judged once (use --repeats 3 to measure it)"
        yield f"test-retest     n/a: {once if found.repeats < _TWICE else 'no query has a score each time'}"
        return
    yield f"test-retest     SD {estimate_text(found.spread)} over {found.repeats} judgements"
    yield f"                {found.largest:.3f} at most; verdict turned {estimate_text(found.turned)}"


def _rates(title: str, first: str, rates: Mapping[str, Rate]) -> RenderableType:
    table = counted_table(title, first, "judged", "mistaken", "95 % interval", "mean score")
    for name, each in rates.items():
        if each.rate.value is not None:
            mean = "" if each.score.value is None else three_digits(each.score.value)
            ends = interval(each.rate, none="no interval")
            shown = three_digits(each.rate.value)
            table.add_row(name.replace("_", " "), f"{each.rate.n:,}", shown, ends, mean)
    return table


def _sensitivity(measured: Measured) -> RenderableType:
    table = counted_table(
        "the same query, written otherwise", "change", "pairs", "score moves by", "distance", "turned"
    )
    for name, each in measured.sensitivity.items():
        if each.size.value is not None and each.turned.value is not None:
            moved = estimate_text(each.change, "+")
            size, turned = f"{each.size.value:.3f}", f"{each.turned.value:.1%}".replace("%", " %")
            table.add_row(name.replace("_", " "), f"{each.size.n:,}", moved, size, turned)
    return table


def _with_ends(estimate: Estimate, sign: str = "") -> str:
    return estimate_text(estimate, sign) if estimate.has_interval else three_digits(estimate.value, sign)


_HELD_OUT, _REASON = 5, 7
"""Widths of columns with a heading of two lines."""


def counts_table(counts: BankCounts, manifest: BankManifest) -> Group:
    """Return the entries of a bank by operator."""
    table = _bank_table("The bank of known errors", "operator", "kind", "label")
    for heading, width in (("entries", None), ("held out", _HELD_OUT), ("dropped", None)):
        table.add_column(heading, justify="right", width=width)
    for name, each in counts.operators.items():
        if each.entries:
            operator = OPERATORS.get(name)
            kind, label = (operator.kind, name_of(operator.label or "")) if operator else ("neutral", "")
            numbers = (each.entries, each.held_out, sum(each.dropped.values()))
            table.add_row(name, kind, label, *_cells(numbers))
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in drop_reasons(manifest).items())
    operators = ", ".join(counts.held_out_operators)
    notes = [
        f"Dropped: {reasons}." if reasons else "",
        f"Held out as operators: {operators}." if operators else "",
    ]
    return Group(table, "", *filter(None, notes))


def tasks_table(counts: BankCounts) -> Group:
    """Return the entries of a bank by operator and task."""
    table = _bank_table("Entries by task", "operator")
    for heading in (*map(str, range(1, len(TASKS) + 1)), "all"):
        table.add_column(heading, justify="right")
    for name, each in counts.operators.items():
        if each.entries:
            numbers = [each.by_task.get(task, 0) for task in TASKS]
            table.add_row(name, *_cells((*numbers, each.entries)))
    return Group(table, "", ", ".join(f"{number}={task}" for number, task in enumerate(TASKS, 1)), "")


def dropped_table(manifest: BankManifest) -> Table:
    """Return how many mutants of each operator were dropped, and why."""
    reasons = drop_reasons(manifest)
    table = _bank_table("Dropped, by reason", "operator")
    for reason in reasons:
        table.add_column(reason, justify="right", width=_REASON)
    for name in OPERATOR_ROWS:
        if dropped := dropped_mutants(manifest, name):
            table.add_row(name, *(f"{dropped[reason]:,}" if reason in dropped else "" for reason in reasons))
    return table


def bank_line(totals: BankTotals) -> str:
    """Return how many entries of a bank there are of each kind, and how many are held out."""
    kinds = [
        f"{each.entries:,} {kind} ({counted(each.operators, 'operator')})"
        for kind, each in totals.kinds.items()
    ]
    return f"{totals.entries:,} entries: {', '.join(kinds)}; {totals.held_out:,} of them held out"


def _bank_table(title: str, *headings: str) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    for heading in headings:
        table.add_column(heading, no_wrap=True)
    return table


def _cells(numbers: Iterable[int]) -> Iterator[str]:
    return (f"{number:,}" if number else "" for number in numbers)
