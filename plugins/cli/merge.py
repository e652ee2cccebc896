"""``retrocypher merge``: joins shards into one run."""

from pathlib import Path

import click

from retrocypher.plugins.cli.console import json_option, print_json
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.operations.merge import merge


@click.command("merge")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--into", required=True, type=click.Path(path_type=Path), help="Folder of the merged run.")
@click.option("--partial", is_flag=True, help="Merge what there is, even if shards or cases are missing.")
@json_option
def merge_command(runs: tuple[Path, ...], into: Path, partial: bool, as_json: bool) -> None:
    """Join RUNS, the shards of a run (--shard i/n), into one run directory."""
    done = merge(runs, into, partial=partial)
    if as_json:
        print_json(done)
        return
    merged = f"{len(done.shards)} of {counted(done.of, 'shard')}"
    click.echo(f"{merged}, {counted(done.cases, 'case')}: {done.into}")
    for line in done.missing:
        click.echo(f"incomplete: {line}")
    click.echo(f"table: retrocypher summary {done.into}")
