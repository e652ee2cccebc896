"""Agreement with execution as a person reads it; tables that fit 80 columns."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from retrocypher.plugins.formatting.text import counted, counted_table, one_line, usd
from retrocypher.plugins.judge.agreement import VariantAgreement
from retrocypher.plugins.judge.calibration import Calibration, Measured, Rate, TestRetest
from retrocypher.plugins.statistics.intervals import Estimate

_LISTED = 5


def agreement_table(found: Sequence[VariantAgreement]) -> Group:
    """Return how far each judge and variant agrees with execution, and where they are furthest apart.

    Args:
        found: What `agreements` returned.
    """
    parts: list[RenderableType] = []
    for each in found:
        parts += [Text(f"agreement with execution, {each.variant.replace('_', ' ')}", style="bold")]
        parts += [_by_task(each), *map(Text, _lines(each)), ""]
    return Group(*parts)


def _by_task(found: VariantAgreement) -> RenderableType:
    table = counted_table("", "task", "cases", "judge", "F1", "kappa", "95 % interval", "AUROC")
    for task, each in (*found.by_task.items(), ("all", found.overall)):
        table.add_row(
            one_line(task),
            f"{each.judged:,}",
            _number(each.score),
            _number(each.f1),
            _number(each.kappa, "+"),
            _ends(each.kappa, "+"),
            _number(each.auroc),
        )
    return table


def _lines(found: VariantAgreement) -> Iterator[str]:
    overall = found.overall
    yield f"AUROC {_whole(overall.auroc)}, Brier score {_whole(overall.reliability.brier)}"
    yield f"Spearman {_whole(overall.spearman, '+')}, Kendall {_whole(overall.kendall, '+')}"
    yield f"expected calibration error {_whole(overall.reliability.ece)}"
    if found.disagreements:
        yield "furthest apart:"
    for each in found.disagreements[:_LISTED]:
        yield f"  {one_line(each.case_id)}: F1 {each.f1:.3f}, judge {each.score or 0:.3f}"


def _whole(estimate: Estimate, sign: str = "") -> str:
    ends = _ends(estimate, sign)
    return _number(estimate, sign) + (f" [{ends}]" if ends else "")


def _number(estimate: Estimate, sign: str = "") -> str:
    return "n/a" if estimate.value is None else f"{estimate.value:{sign}.3f}"


def _ends(estimate: Estimate, sign: str) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:{sign}.3f}, {estimate.high:{sign}.3f}"


_VARIANTS = {"with_reference": "with the reference query", "without_reference": "without the reference query"}

_TWICE = 2


def calibration_table(calibration: Calibration) -> Group:
    """Return the figures of a calibration, of each variant in turn.

    Args:
        calibration: The calibration.
    """
    parts: list[RenderableType] = [*map(Text, _head(calibration))]
    for variant, measured in calibration.variants.items():
        parts += ["", Text(_VARIANTS[variant], style="bold"), *map(Text, _calibration_lines(measured)), ""]
        parts += [_rates("errors taken for right", "label", measured.by_error), ""]
        parts += [_rates("right queries taken for wrong", "kind", measured.by_right), ""]
        parts += [_sensitivity(measured)]
    return Group(*parts)


def estimate_text(estimate: Estimate, sign: str = "") -> str:
    """Return a number and its interval; ``n/a`` where it is not defined."""
    if estimate.value is None:
        return "n/a"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:{sign}.3f} [no interval]"
    return f"{estimate.value:{sign}.3f} [{estimate.low:{sign}.3f}, {estimate.high:{sign}.3f}]"


def _head(calibration: Calibration) -> Iterator[str]:
    kinds = ", ".join(f"{count:,} {kind.replace('_', ' ')}" for kind, count in calibration.sample.items())
    yield f"judge {one_line(calibration.judge)}, criteria {calibration.criteria[:8]}"
    yield f"{sum(calibration.sample.values()):,} queries: {kinds}"
    yield f"errors and variants: {calibration.bank}, {calibration.bank_entries:,} entries"
    cost = f", {usd(calibration.cost)}" if calibration.cost else ""
    calls, cached = calibration.calls["all"], calibration.calls["cached"]
    tokens = sum(calibration.tokens.values())
    yield f"{counted(calls, 'judgement')}, {cached:,} had before; {tokens:,} tokens{cost}"


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


def _retest(told: TestRetest) -> Iterator[str]:
    if told.largest is None:
        once = "each query was judged once (--repeats 3 tells it)"
        yield f"test-retest     n/a: {once if told.repeats < _TWICE else 'no query has a score each time'}"
        return
    yield f"test-retest     SD {estimate_text(told.spread)} over {told.repeats} judgements"
    yield f"                {told.largest:.3f} at most; verdict turned {estimate_text(told.turned)}"


def _rates(title: str, first: str, rates: Mapping[str, Rate]) -> RenderableType:
    table = counted_table(title, first, "judged", "mistaken", "95 % interval", "mean score")
    for name, each in rates.items():
        if each.rate.value is not None:
            mean = "" if each.score.value is None else f"{each.score.value:.3f}"
            value, _, ends = estimate_text(each.rate).partition(" ")
            table.add_row(name.replace("_", " "), f"{each.rate.n:,}", value, ends.strip("[]"), mean)
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
