"""``retrocypher show``: one case of a run, in full."""

from pathlib import Path

import click

from retrocypher.plugins.analysis.cases import find_case
from retrocypher.plugins.cli.console import PATH, json_option, print_json, table_console
from retrocypher.plugins.reporting.case_text import render_case
from retrocypher.plugins.reporting.case_view import case_json, show_case
from retrocypher.plugins.runs.log import RunLog

_WIDTH = 100


@click.command("show")
@click.argument("run", type=PATH)
@click.argument("case")
@click.option("--messages", is_flag=True, help="Also show the exemplar and the messages sent to models.")
@json_option
def show_command(run: Path, case: str, messages: bool, as_json: bool) -> None:
    """Show CASE of RUN in full: question, rounds, query against reference, rows, scores, and why it failed.

    CASE is the id of a case, its beginning, or any part of it that no other id has.
    """
    log = RunLog(run)
    view = show_case(log, find_case(log, case), with_messages=messages)
    if as_json:
        print_json(case_json(view, run, with_messages=messages))
    else:
        table_console(_WIDTH).print(render_case(view, run))
