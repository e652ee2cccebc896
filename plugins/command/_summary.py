"""``retrocypher summary``: the closing table of one or more runs, from their records."""

from itertools import chain
from pathlib import Path

import click
from rich.console import Console

from plugins.records import ALLURE, read_records
from plugins.summary import render_table, summarise


@click.command("summary")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--svg", type=click.Path(path_type=Path), help="Write the table to an SVG file too.")
def summary_command(runs: tuple[Path, ...], svg: Path | None) -> None:
    """Print the table of RUNS together: scores by task, prompt, shot and model."""
    table = render_table(summarise(chain.from_iterable(read_records(run) for run in runs)))
    console = Console(record=svg is not None, highlight=False)
    console.print(table)
    for run in runs:
        console.print(f"records: {run}", soft_wrap=True)
        if (run / ALLURE).is_dir():
            console.print(f"Allure report: allure serve {run / ALLURE}", soft_wrap=True)
    if svg is not None:
        console.save_svg(str(svg), title="retrocypher summary")
