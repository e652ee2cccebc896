"""``retrocypher rescore``: computes the scores of a run again."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
from rich.console import Group, RenderableType
from rich.text import Text

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.console import PATH, json_option, print_json, table_console
from retrocypher.plugins.cli.suite_option import suite_option
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.operations.rescore import RescoreResult, rescore
from retrocypher.plugins.operations.rescored import Flip, LargestChange, MetricChange
from retrocypher.plugins.reporting.run_tables import counted_table
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.parallel import spare_collections

_SHOWN = 10


@click.command("rescore")
@click.argument("run", type=PATH)
@click.option("--out", type=PATH, help="Write a new run directory with the new scores.")
@click.option("--in-place", is_flag=True, help="Replace records, summary and manifest of the run itself.")
@suite_option("case_threshold", default="that of the run")
@suite_option("key_encoder", default="that of the run; none for no encoder")
@click.option("--workers", type=click.IntRange(1), help="Number of processes (default: one for each core).")
@json_option
def rescore_command(
    run: Path,
    out: Path | None,
    in_place: bool,
    case_threshold: float | None,
    key_encoder: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Compute scores and labels of RUN again from its records, and print what changed.

    Without --out or --in-place nothing is written. The exit status is 0 whatever changed.
    """
    if out is not None and in_place:
        raise InputError("--out and --in-place: the scores go to one place; leave out one of the two")
    spare_collections()
    done = rescore(
        RunLog(run),
        out=out,
        in_place=in_place,
        threshold=case_threshold,
        key_encoder=key_encoder,
        workers=workers,
    )
    if as_json:
        print_json(done)
    else:
        table_console().print(Group(*_parts(done)))


def _parts(done: RescoreResult) -> Iterator[RenderableType]:
    yield Text(f"{one_line(done.run)}: {done.rescored:,} of {counted(done.records, 'case')} rescored")
    if done.without_scores:
        unscored = counted(done.without_scores, "case")
        yield Text(f"{unscored} without scores (infrastructure errors): unchanged")
    if done.results_left:
        yield Text(f"{done.results_left:,} results of rounds unchanged: their rows are not on record")
    if not done.changed:
        yield Text("nothing changed")
    else:
        parts = ", ".join(f"{name} in {count:,}" for name, count in done.parts.items())
        yield Text(f"{counted(done.changed, 'case')} changed: {parts}")
        yield Text(f"passed: {done.passed['before']:,} before, {done.passed['after']:,} now")
        yield from _metrics(done.metrics)
        yield from _labels(done.labels)
        yield from _listed("pass or fail now", [_flip(each) for each in done.flipped])
        yield from _listed("largest changes", [_change(each) for each in done.largest])
    if done.written is not None:
        yield Text(f"written: {one_line(done.written)}")
    elif done.changed:
        yield Text("nothing was written: --out DIR writes a new run, --in-place replaces this one")


def _metrics(metrics: Mapping[str, MetricChange]) -> Iterator[RenderableType]:
    changed = {name: each for name, each in metrics.items() if each.cases}
    if changed:
        table = counted_table("means", "metric", "before", "now", "difference", "cases changed")
        for name, each in changed.items():
            both = each.before is not None and each.after is not None
            difference = f"{(each.after or 0) - (each.before or 0):+.4f}" if both else ""
            table.add_row(name, _number(each.before), _number(each.after), difference, f"{each.cases:,}")
        yield table


def _labels(labels: Mapping[str, Mapping[str, int]]) -> Iterator[RenderableType]:
    changed = {name: counts for name, counts in labels.items() if counts["gained"] or counts["lost"]}
    if changed:
        table = counted_table("cases by label", "label", "before", "now", "gained", "lost")
        for name, counts in changed.items():
            table.add_row(
                one_line(name), *(f"{counts[side]:,}" for side in ("before", "after", "gained", "lost"))
            )
        yield table


def _listed(title: str, lines: Sequence[str]) -> Iterator[RenderableType]:
    if lines:
        yield Text(f"{title}:")
        yield from (Text(f"  {line}") for line in lines[:_SHOWN])
        if (more := len(lines) - _SHOWN) > 0:
            yield Text(f"  and {more:,} more (see --json)")


def _flip(flip: Flip) -> str:
    verdict = "passes" if flip.passed else "fails"
    return f"{one_line(flip.case_id)} {verdict}: F1 {flip.f1_before:.3f}, now {flip.f1_after:.3f}"


def _change(change: LargestChange) -> str:
    before, after = _number(change.before), _number(change.after)
    return f"{one_line(change.case_id)}: {change.metric} {before}, now {after}"


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.4f}"
