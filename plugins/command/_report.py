"""``retrocypher report``: one self-contained HTML page of one or more runs, from their records."""

from pathlib import Path

import click

from plugins.command._json import json_option, print_json
from plugins.parts import spare_collections
from plugins.report import build_report
from plugins.terminal import counted

_LISTED = 5_000


@click.command("report")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The page; report.html in the first of RUNS.")
@click.option(
    "--figures",
    type=click.Path(path_type=Path),
    help="A folder for figures (SVG, PNG) and tables (CSV, LaTeX).",
)
@click.option(
    "--cases",
    "most",
    type=click.IntRange(min=0),
    default=_LISTED,
    show_default=True,
    help="How many failed cases to list at most.",
)
@json_option
def report_command(
    runs: tuple[Path, ...], out: Path | None, figures: Path | None, most: int, as_json: bool
) -> None:
    """Write an HTML page of RUNS: scores, comparisons, errors and each failed case.

    Of several runs the first is what the others are compared with.
    """
    spare_collections()
    report = build_report(runs, out or runs[0] / "report.html", most=most, figures=figures)
    if as_json:
        print_json(report.to_json())
        return
    for name, lacks in report.lacking.items():
        click.echo(f"{name} is not whole: {lacks}", err=True)
    click.echo(f"{counted(report.cases, 'case')}, {report.failed:,} failed, {report.not_run:,} not run")
    click.echo(f"page: {report.page} ({report.bytes / 1e6:.2f} MB)")
    if report.pages:
        click.echo(
            f"cases: {report.folder} ({counted(report.pages, 'page')}, {report.pages_bytes / 1e6:.1f} MB)"
        )
    if figures is not None:
        click.echo(f"figures and tables: {figures} ({counted(len(report.figures), 'file')})")
