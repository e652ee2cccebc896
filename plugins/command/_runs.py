"""``retrocypher runs``: the runs that lie in a folder."""

from pathlib import Path

import click

from plugins.command._console import table_console
from plugins.command._json import json_option, print_json
from plugins.runs import find_runs, read_entry, runs_table

_REPORTS = Path("reports")


@click.command("runs")
@click.argument("folder", metavar="[DIR]", default=_REPORTS, type=click.Path(path_type=Path))
@json_option
def runs_command(folder: Path, as_json: bool) -> None:
    """List the runs in DIR, the newest first: what was run, how far it got, and how well.

    Without DIR those in `reports`. A run that cannot be read is listed with the reason.
    """
    entries = [read_entry(run) for run in find_runs(folder)]
    entries.sort(key=lambda entry: (entry.started or "", str(entry.path)), reverse=True)
    if as_json:
        print_json({"folder": str(folder), "runs": [entry.to_json() for entry in entries]})
    elif entries:
        table_console().print(runs_table(entries, folder))
    else:
        click.echo(f"No run in {folder}.")
