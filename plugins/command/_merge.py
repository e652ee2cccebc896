"""``retrocypher merge``: shards into the run they are parts of."""

from pathlib import Path

import click

from plugins.command._json import json_option, print_json
from plugins.merging import Merged, merge
from plugins.terminal import counted


@click.command("merge")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--into", required=True, type=click.Path(path_type=Path), help="Folder of the merged run.")
@click.option("--partial", is_flag=True, help="Merge what there is, though shards or cases are missing.")
@json_option
def merge_command(runs: tuple[Path, ...], into: Path, partial: bool, as_json: bool) -> None:
    """Join RUNS, the shards of a run (--shard i/n), into one run directory."""
    done = merge(runs, into, partial=partial)
    if as_json:
        print_json(_as_json(done))
        return
    cases = done.summary["cases"]
    shards = counted(done.runs[0].shard.of, "shard")
    click.echo(f"{len(done.runs)} of {shards}, {counted(cases, 'case')}: {done.path}")
    for line in done.missing:
        click.echo(f"incomplete: {line}")
    click.echo(f"table: retrocypher summary {done.path}")


def _as_json(done: Merged) -> dict[str, object]:
    return {
        "into": str(done.path),
        "of": done.runs[0].shard.of,
        "shards": [{"run": str(run.path), "number": run.shard.number} for run in done.runs],
        "cases": done.summary["cases"],
        "failed": done.summary["failed"],
        "infrastructure_errors": done.summary["infrastructure_errors"],
        "missing": list(done.missing),
        "allure_results": done.allure_results,
    }
