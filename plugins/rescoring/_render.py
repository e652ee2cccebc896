"""What scoring a run again changed, for the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from plugins.rescoring._rescore import Rescored
from plugins.terminal import counted, counted_table, one_line

_SHOWN = 10


def render_rescored(rescored: Rescored) -> Group:
    """Return what changed, as lines and tables 80 columns wide.

    Args:
        rescored: What came of it.
    """
    return Group(*_parts(rescored))


def _parts(rescored: Rescored) -> Iterator[RenderableType]:
    told = rescored.to_json()
    records, unscored = counted(told["records"], "case"), counted(told["without_scores"], "case")
    yield Text(f"{one_line(told['run'])}: {told['rescored']:,} of {records} scored again")
    if told["without_scores"]:
        yield Text(f"{unscored} without scores, for infrastructure errors: as they are")
    if told["results_left"]:
        yield Text(
            f"{told['results_left']:,} results of rounds left as they are: the run did not keep their rows"
        )
    if not told["changed"]:
        yield Text("nothing changed")
    else:
        parts = ", ".join(f"{name} in {count:,}" for name, count in told["parts"].items())
        yield Text(f"{counted(told['changed'], 'case')} changed: {parts}")
        yield Text(f"passed: {told['passed']['before']:,} before, {told['passed']['after']:,} now")
        yield from _metrics(told["metrics"])
        yield from _labels(told["labels"])
        yield from _listed("pass or fail now", [_flip(each) for each in told["flipped"]])
        yield from _listed("largest changes", [_change(each) for each in told["largest"]])
    if told["written"] is not None:
        yield Text(f"written: {one_line(told['written'])}")
    elif told["changed"]:
        yield Text("nothing is written: --out DIR writes a new run, --in-place this one")


def _metrics(metrics: Mapping[str, Any]) -> Iterator[RenderableType]:
    changed = {name: told for name, told in metrics.items() if told["cases"]}
    if changed:
        table = counted_table("means", "metric", "before", "now", "difference", "cases changed")
        for name, told in changed.items():
            before, after = told["before"], told["after"]
            by = "" if before is None or after is None else f"{after - before:+.4f}"
            table.add_row(name, _number(before), _number(after), by, f"{told['cases']:,}")
        yield table


def _labels(labels: Mapping[str, Any]) -> Iterator[RenderableType]:
    changed = {name: told for name, told in labels.items() if told["gained"] or told["lost"]}
    if changed:
        table = counted_table("cases by label", "label", "before", "now", "gained", "lost")
        for name, told in changed.items():
            counts = (told[side] for side in ("before", "after", "gained", "lost"))
            table.add_row(one_line(name), *(f"{count:,}" for count in counts))
        yield table


def _listed(title: str, lines: Sequence[str]) -> Iterator[RenderableType]:
    if lines:
        yield Text(f"{title}:")
        yield from (Text(f"  {line}") for line in lines[:_SHOWN])
        if (more := len(lines) - _SHOWN) > 0:
            yield Text(f"  and {more:,} more (--json has them)")


def _flip(told: Mapping[str, Any]) -> str:
    verdict = "passes" if told["passed"] else "fails"
    return f"{one_line(told['case_id'])} {verdict}: F1 {told['f1_before']:.3f}, now {told['f1_after']:.3f}"


def _change(told: Mapping[str, Any]) -> str:
    before, after = _number(told["before"]), _number(told["after"])
    return f"{one_line(told['case_id'])}: {told['metric']} {before}, now {after}"


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.4f}"
