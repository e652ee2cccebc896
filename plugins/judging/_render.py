"""What a judge made of a run, for the terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from plugins.judge import VARIANTS
from plugins.judging._judge_run import JudgedRun
from plugins.judging._scores import MEASURES
from plugins.terminal import counted, counted_table, one_line, usd


def render_judged(done: JudgedRun) -> Group:
    """Return what came of it, as lines and a table.

    Args:
        done: What came of it.
    """
    return Group(*_parts(done))


def _parts(done: JudgedRun) -> Iterator[RenderableType]:
    judge = one_line(str(done.judge["model"]["label"]))
    yield Text(
        f"{one_line(str(done.run))}: {done.judged:,} of {counted(done.cases, 'case')} judged by {judge}"
    )
    yield Text(
        f"answers: {done.asked:,} asked, {done.from_cache:,} from the cache, {done.kept:,} on record"
        + ("" if done.cost is None else f", {usd(done.cost)}")
    )
    yield _means(done)
    for variant in VARIANTS:
        lacking = (done.summary.get(variant) or {}).get("no_score") or {}
        if lacking:
            kinds = ", ".join(f"{one_line(kind)} {count:,}" for kind, count in lacking.items())
            yield Text(f"no score {variant.replace('_', ' ')}: {kinds}")
    if done.faults:
        kept = "" if done.written else "nothing is replaced, and "
        yield Text(
            f"incomplete: the judge could not be asked about {counted(done.faults, 'case')}; "
            f"{kept}the same command asks again"
        )
        if done.why:
            yield Text(one_line(done.why))


def _means(done: JudgedRun) -> RenderableType:
    table = counted_table(
        "mean [95 % interval]", "task", *(measure.replace("_", " ") for measure in MEASURES)
    )
    table.padding = 0  # else intervals do not fit 80 columns
    by_task: dict[str, dict[str, Mapping[str, Any]]] = {}
    for entry in done.means:
        by_task.setdefault(entry["slice"].get("task", "all"), {})[entry["metric"]] = entry["mean"]
    for task, means in by_task.items():
        table.add_row(one_line(task), *(_mean(means[name]) for name in MEASURES))
    return table


def _mean(mean: Mapping[str, Any]) -> str:
    if mean["value"] is None:
        return "n/a"
    interval = "" if mean["low"] is None else f" [{mean['low']:.2f}, {mean['high']:.2f}]"
    return f"{mean['value']:.3f}{interval}"
