"""Agreement with execution as a person reads it; tables that fit 80 columns."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from plugins.agreement._agreement import VariantAgreement
from plugins.statistics import Estimate
from plugins.terminal import counted_table, one_line

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
