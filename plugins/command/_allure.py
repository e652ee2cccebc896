"""``retrocypher allure``: the Allure results of a run, from its records."""

import json
from pathlib import Path

import click

from plugins.allure_records import write_results
from plugins.records import ALLURE


@click.command("allure")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the results. [RUN/allure-results]")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def allure_command(run: Path, out: Path | None, as_json: bool) -> None:
    """Write the Allure results of RUN again.

    They are made from its records: no model and no graph is asked. Results that are in the folder already
    are replaced.
    """
    written = write_results(run, out or run / ALLURE)
    if as_json:
        click.echo(
            json.dumps({"results": str(written.results), "cases": written.cases, "lost": written.lost})
        )
        return
    lost = f", {written.lost:,} lost" if written.lost else ""
    click.echo(f"Allure results: {written.results} ({written.cases:,} cases{lost})")
