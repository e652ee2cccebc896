"""``retrocypher allure``: the Allure results of a run, from its records, and their page."""

import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from plugins.allure_page import HISTORY, History, Node, Page, build_page, find_node
from plugins.allure_records import Written, write_results
from plugins.command._json import json_option, print_json
from plugins.parts import spare_collections
from plugins.records import ALLURE, RECORDS, read_manifest
from plugins.terminal import counted

PAGE = "allure.html"


@click.command("allure")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the results. [RUN/allure-results]")
@click.option("--html", "with_page", is_flag=True, help=f"Draw the page RUN/{PAGE} with Node.")
@click.option(
    "--history",
    type=click.Path(path_type=Path),
    help=f"File of what earlier runs gave, for the page. [{HISTORY} beside RUN]",
)
@json_option
def allure_command(run: Path, out: Path | None, with_page: bool, history: Path | None, as_json: bool) -> None:
    """Write the Allure results of RUN again.

    They are made from its records: no model and no graph is asked. Results that are in the folder already
    are replaced. With --html and without --out only the page is left.
    """
    # Before minutes of work.
    node = find_node() if with_page else None
    spare_collections()
    with tempfile.TemporaryDirectory(prefix="retrocypher-results-") as made:
        kept = None if with_page and out is None else out or run / ALLURE
        written = write_results(run, kept or Path(made) / ALLURE)
        page = None if node is None else _page(node, run.resolve(), written, history)
    if as_json:
        print_json(_facts(kept, written, page))
        return
    cases = counted(written.cases, "case")
    cases += f", {written.lost:,} lost" if written.lost else ""
    if kept is not None:
        click.echo(f"Allure results: {kept} ({cases})")
    if page is not None:
        click.echo(f"Allure page: {page.file} ({page.size / 1e6:.1f} MB, {cases})")


def _page(node: Node, run: Path, written: Written, history: Path | None) -> Page:
    started = read_manifest(run).get("started")
    began = datetime.fromisoformat(started).timestamp() if started else (run / RECORDS).stat().st_mtime
    return build_page(
        node,
        written.results,
        run / PAGE,
        History(history or run.parent / HISTORY),
        name=run.name,
        began=round(1000 * began),
        announce=lambda line: click.echo(line, err=True),
    )


def _facts(kept: Path | None, written: Written, page: Page | None) -> dict[str, Any]:
    return {
        "results": None if kept is None else str(kept),
        "cases": written.cases,
        "lost": written.lost,
        "page": None if page is None else str(page.file),
        "page_bytes": None if page is None else page.size,
        "history_runs": None if page is None else page.runs,
    }
