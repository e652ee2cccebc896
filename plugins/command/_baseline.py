"""``retrocypher baseline``: runs kept to measure later ones against."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.table import Table
from rich.text import Text

from kg.errors import InputError
from plugins.baselines import HOME, find_side, known_baselines, read_baseline, read_page, save
from plugins.command._console import table_console
from plugins.command._json import json_option, print_json
from plugins.comparison import read_run
from plugins.terminal import counted, one_line


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
