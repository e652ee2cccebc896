"""``retrocypher compare`` and ``baseline``: compares runs, and saves scores to compare with."""

import difflib
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec import Struct
from rich import box
from rich.table import Table
from rich.text import Text

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.baselines import (
    HOME,
    BaselinePage,
    find_scores,
    known_baselines,
    read_baseline,
    read_page,
    save,
)
from retrocypher.plugins.analysis.comparison import compare_runs
from retrocypher.plugins.analysis.run_scores import Conditions
from retrocypher.plugins.analysis.scores import DIMENSIONS, METRIC_NAMES, unknown_key
from retrocypher.plugins.analysis.variation import F1_SD, FIGURES, variation_metric
from retrocypher.plugins.cli.console import PATH, SHARE, emit, json_option, print_json, table_console
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.reporting.numbers import interval, three_digits
from retrocypher.plugins.reporting.text import render_comparison
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import Manifest
from retrocypher.plugins.runs.record import KEY_METRICS, fields_of
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.paired import MARGIN

_COMPARABLE = (*METRIC_NAMES, *(each for each in FIGURES if each != F1_SD))


def _measure(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    if (figure := variation_metric(value)) is not None:
        if figure.figure == F1_SD:
            raise click.BadParameter(f"no single case has {F1_SD}; every comparison of repeats prints it")
        return value
    if "[" in value and value not in KEY_METRICS:
        raise click.BadParameter(unknown_key(value))
    return value if value in KEY_METRICS else _known(value, _COMPARABLE)


def _slicings(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> list[tuple[str, ...]]:
    return [tuple(_known(name.strip(), DIMENSIONS) for name in each.split(",")) for each in value]


def _known(name: str, names: Sequence[str]) -> str:
    if name in names:
        return name
    near = difflib.get_close_matches(name.lower(), names, n=1)
    meant = f"did you mean {near[0]}? Otherwise " if near else ""
    raise click.BadParameter(f"{name}: not known; {meant}choose from {', '.join(names)}")


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--metric",
    callback=_measure,
    help="The score to compare (default: the one that decides whether a case of A passes, such as f1).",
)
@click.option(
    "--by",
    multiple=True,
    callback=_slicings,
    default=("task",),
    help="Slices: task, steps, prompt, shot, loop, model, setting, phrasing, repeat, or several separated by "
    "commas (repeatable; default: task).",
)
@click.option(
    "--margin",
    type=SHARE,
    default=MARGIN,
    help=f"The largest difference that does not matter (default: {MARGIN:g}).",
)
@click.option("--on-common", is_flag=True, help="Compare runs that were measured under different conditions.")
@json_option
def compare_command(
    a: str,
    b: str,
    metric: str | None,
    by: list[tuple[str, ...]],
    margin: float,
    on_common: bool,
    as_json: bool,
) -> None:
    """Compare run B with run A question by question; either may also be a baseline, by name or folder.

    The exit status is 0 whatever the result.
    """
    here = Path.cwd()
    first, second = find_scores(a, here), find_scores(b, here)
    metric = metric or first.manifest.headline
    comparison = compare_runs(first, second, metric, by, margin=margin, on_common=on_common)
    if as_json:
        print_json(comparison)
    else:
        table_console().print(render_comparison(comparison))


@click.command("save")
@click.argument("run", type=PATH)
@click.argument("name")
@click.option("--replace", is_flag=True, help="Replace a baseline of that name.")
@json_option
def baseline_save_command(run: Path, name: str, replace: bool, as_json: bool) -> None:
    """Save the scores of RUN as the baseline NAME, in reports/baselines/NAME; commit that folder."""
    done = save(RunLog(run), name, Path.cwd(), replace=replace)
    size = f"{done.bytes / 1e3:,.0f} KB"
    emit(
        as_json,
        {**fields_of(done), "folder": str(done.folder)},
        f"{counted(done.cases, 'case')} saved in {done.folder} ({size}); commit that folder.",
        f"To compare a run with it: {_command_against(RunLog(run).manifest, name)}",
    )


_SELECTION = {"keyword": "-k", "markexpr": "-m", "deselect": "--deselect"}


def _command_against(manifest: Manifest, baseline: str) -> str:
    """Return the command that runs the cases of a run again, with a gate against its baseline."""
    # Imported late: only this command knows the options of a session.
    from retrocypher.plugins.session.options import words_of

    selection = manifest.key.parts.get("selection", {}) if manifest.key else {}
    words = ["pytest", *selection.get("arguments", ["benchmarks"])]
    for name, flag in _SELECTION.items():
        chosen = selection.get(name, [])
        words += [word for each in ([chosen] if isinstance(chosen, str) else chosen) for word in (flag, each)]
    words += words_of(manifest.options)
    words += ["--baseline", baseline, "--gate", f"no-regression {manifest.headline} margin={MARGIN:g}"]
    return shlex.join(words)


@click.command("list")
@json_option
def baseline_list_command(as_json: bool) -> None:
    """List the baselines of this checkout."""
    home = Path.cwd() / HOME
    entries = [_entry(name, read_page(home / name)) for name in known_baselines(home)]
    if as_json:
        print_json({"baselines": entries})
        return
    if not entries:
        click.echo(f"no baseline in {home}; save one with `retrocypher baseline save RUN NAME`")
        return
    table = _table(("name", "cases", "mean F1", "95 % interval", "made", "graph"))
    for entry in entries:
        table.add_row(entry.name, f"{entry.cases:,}", *_mean(entry.f1), entry.made[:10], entry.graph[:12])
    table_console().print(table)


@click.command("show")
@click.argument("name")
@json_option
def baseline_show_command(name: str, as_json: bool) -> None:
    """Show the baseline NAME: its scores by task, and the conditions under which they were measured."""
    home = Path.cwd() / HOME
    folder = home / name if name in known_baselines(home) else Path(name)
    if name not in known_baselines(home) and not (folder / "baseline.json").is_file():
        find_scores(name, Path.cwd())
        raise InputError(f"{name}: a run, not a baseline; show it with `retrocypher summary {name}`")
    page, scores = read_page(folder), read_baseline(folder)
    if as_json:
        print_json({**fields_of(page), "conditions": scores.conditions, "models": list(scores.models)})
        return
    table = _table(("F1 of", "cases", "mean", "95 % interval"))
    for each in page.f1:
        labels = ", ".join(str(label) for label in each.slice.values()) or "all"
        table.add_row(Text(one_line(labels)), f"{each.mean.n:,}", *_mean(each.mean))
    table_console().print(table)
    for line in _conditions(page, scores.conditions):
        click.echo(one_line(line))


def _conditions(page: BaselinePage, conditions: Conditions) -> Iterator[str]:
    if page.part:
        yield f"part: {page.part}"
    yield f"made: {page.run.started}"
    yield from (f"{name}: {value}" for name, value in conditions.fixed.items())
    yield f"--case-threshold: {conditions.threshold}"
    yield from (f"{name}: {value}" for name, value in conditions.varied.items())


class BaselineEntry(Struct, frozen=True):
    """A baseline in a list."""

    name: str
    cases: int
    part: str | None
    models: list[str]
    made: str
    graph: str
    f1: Estimate


def _entry(name: str, page: BaselinePage) -> BaselineEntry:
    run = page.run
    models = [model.label for model in run.models]
    graph = str(run.graph and run.graph.fingerprint)
    return BaselineEntry(name, page.cases, page.part, models, str(run.started), graph, page.f1[0].mean)


def _mean(mean: Estimate) -> tuple[str, str]:
    return three_digits(mean.value), interval(mean)


def _table(headings: tuple[str, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=not number, overflow="fold")
    return table
