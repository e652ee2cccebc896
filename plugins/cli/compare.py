"""``retrocypher compare``: what became of one run in another."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table
from rich.text import Text

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.baselines import (
    HOME,
    find_side,
    known_baselines,
    read_baseline,
    read_page,
    save,
)
from retrocypher.plugins.analysis.comparison import compare_sides
from retrocypher.plugins.analysis.gate import gate_of
from retrocypher.plugins.analysis.gate_decision import JUDGE_KAPPA
from retrocypher.plugins.analysis.scores import read_run
from retrocypher.plugins.analysis.summary import summarise
from retrocypher.plugins.cli.console import json_option, measure, print_json, slicing, table_console
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.reporting.ci import append_job_summary, facts_of, job_summary, job_summary_file
from retrocypher.plugins.reporting.comparison_tables import gate_lines, render_comparison
from retrocypher.plugins.runs.log import read_records
from retrocypher.plugins.statistics.paired import MARGIN


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--metric", callback=measure, default="f1", help="The score to compare (default: f1).")
@click.option(
    "--by",
    multiple=True,
    callback=slicing,
    default=("task",),
    help="Slices: task, steps, prompt, shot, loop, model, setting, phrasing, or some with commas between "
    "(repeatable; default: task).",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 1),
    default=MARGIN,
    help=f"What is too small to matter (default: {MARGIN:g}).",
)
@click.option("--on-common", is_flag=True, help="Compare runs that were not measured alike all the same.")
@json_option
def compare_command(
    a: str, b: str, metric: str, by: list[tuple[str, ...]], margin: float, on_common: bool, as_json: bool
) -> None:
    """Compare run B with run A question by question; either may also be a baseline, by name or folder.

    The exit status is 0 whatever is found.
    """
    here = Path.cwd()
    found = compare_sides(
        find_side(a, here), find_side(b, here), metric, by, margin=margin, on_common=on_common
    )
    if as_json:
        print_json(found.to_json())
    else:
        table_console().print(render_comparison(found))


@click.command("gate")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("rules", nargs=-1, required=True, metavar="RULE...")
@click.option("--baseline", help="Name or folder of what no-regression rules are measured against.")
@click.option("--gate-allow-inconclusive", is_flag=True, help="Let no-regression hold where nothing shows.")
@click.option("--gate-partial", is_flag=True, help="Judge a part of a run, or of its baseline.")
@click.option(
    "--gate-judge-kappa",
    type=click.FloatRange(-1, 1),
    default=JUDGE_KAPPA,
    show_default=True,
    help="Least lower end of kappa of a judge's calibration, for rules on its score.",
)
@json_option
def gate_command(
    run: Path,
    rules: tuple[str, ...],
    baseline: str | None,
    gate_allow_inconclusive: bool,
    gate_partial: bool,
    gate_judge_kappa: float,
    as_json: bool,
) -> None:
    """Judge RUN by RULEs such as "f1>=0.6", "f1 by task>=0.4" or "no-regression f1 margin=0.02".

    For runs whose gate was not known when they were made, such as merged shards. Exits with 0 where all rules
    hold, 1 where not, 16 where the run is incomplete, and 2 where a rule or a file cannot be used.
    """
    gate = gate_of(
        rules,
        baseline,
        Path.cwd(),
        allow_inconclusive=gate_allow_inconclusive,
        partial=gate_partial,
        judge_kappa=gate_judge_kappa,
    )
    side = read_run(run)
    result = gate.judge(side)
    if (file := job_summary_file(os.environ)) is not None:
        facts = facts_of(run, side, summarise(read_records(run)), result)
        try:
            append_job_summary(file, job_summary(facts, os.environ))
        except OSError as error:
            click.echo(f"the summary of the job cannot be written: {file} ({error.strerror})", err=True)
    if as_json:
        print_json(result.to_json())
    else:
        click.echo("\n".join(gate_lines(result)))
    click.get_current_context().exit(result.exit_status)


@click.command("save")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("name")
@click.option("--replace", is_flag=True, help="Replace a baseline of that name.")
@json_option
def baseline_save_command(run: Path, name: str, replace: bool, as_json: bool) -> None:
    """Keep the scores of RUN as the baseline NAME, in reports/baselines/NAME; commit that folder."""
    done = save(read_run(run), name, Path.cwd(), replace=replace)
    if as_json:
        print_json({"name": name, "folder": str(done.folder), "cases": done.cases, "bytes": done.bytes})
        return
    click.echo(
        f"{counted(done.cases, 'case')} kept in {done.folder} ({done.bytes / 1e3:,.0f} KB); "
        "commit that folder.\n"
        f"To measure against it: pytest benchmarks ... --baseline {name} "
        '--gate "no-regression f1 margin=0.02"'
    )


@click.command("list")
@json_option
def baseline_list_command(as_json: bool) -> None:
    """List the baselines of this checkout."""
    home = Path.cwd() / HOME
    pages = {name: read_page(home / name) for name in known_baselines(home)}
    if as_json:
        print_json({"baselines": [_brief(name, page) for name, page in pages.items()]})
        return
    if not pages:
        click.echo(f"no baseline in {home}; keep one with `retrocypher baseline save RUN NAME`")
        return
    table = _table(("name", "cases", "mean F1", "95 % interval", "made", "graph"))
    for name, page in pages.items():
        mean, interval = _mean(page["f1"][0]["mean"])
        told = _brief(name, page)
        table.add_row(name, f"{told['cases']:,}", mean, interval, told["made"][:10], told["graph"][:12])
    table_console().print(table)


@click.command("show")
@click.argument("name")
@json_option
def baseline_show_command(name: str, as_json: bool) -> None:
    """Show what the baseline NAME holds: its scores by task, and what they were measured under."""
    home = Path.cwd() / HOME
    folder = home / name if name in known_baselines(home) else Path(name)
    if name not in known_baselines(home) and not (folder / "baseline.json").is_file():
        find_side(name, Path.cwd())
        raise InputError(f"{name}: a run, not a baseline; show it with `retrocypher summary {name}`")
    page, side = read_page(folder), read_baseline(folder)
    if as_json:
        print_json({**page, "conditions": side.conditions.to_json(), "models": list(side.models)})
        return
    table = _table(("F1 of", "cases", "mean", "95 % interval"))
    for each in page["f1"]:
        mean, interval = _mean(each["mean"])
        said = ", ".join(str(label) for label in each["slice"].values()) or "all"
        table.add_row(Text(one_line(said)), f"{each['mean']['n']:,}", mean, interval)
    table_console().print(table)
    for line in _conditions(page, side.conditions.to_json()):
        click.echo(one_line(line))


def _conditions(page: Mapping[str, Any], conditions: Mapping[str, Any]) -> Iterator[str]:
    if page.get("part"):
        yield f"part: {page['part']}"
    yield f"made: {page['manifest'].get('started')}"
    yield from (f"{name}: {value}" for name, value in conditions["fixed"].items())
    yield f"--case-threshold: {conditions['threshold']}"
    yield from (f"{name}: {value}" for name, value in conditions["varied"].items())


def _brief(name: str, page: Mapping[str, Any]) -> dict[str, Any]:
    manifest = page["manifest"]
    return {
        "name": name,
        "cases": page["cases"],
        "part": page["part"],
        "models": [model["label"] for model in manifest.get("models") or ()],
        "made": str(manifest.get("started")),
        "graph": str((manifest.get("graph") or {}).get("fingerprint")),
        "f1": page["f1"][0]["mean"],
    }


def _mean(told: Mapping[str, Any]) -> tuple[str, str]:
    """Return a mean and its interval in words."""
    mean = "n/a" if told["value"] is None else f"{told['value']:.3f}"
    return mean, "none" if told["low"] is None else f"{told['low']:.3f}, {told['high']:.3f}"


def _table(headings: tuple[str, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=not number, overflow="fold")
    return table
