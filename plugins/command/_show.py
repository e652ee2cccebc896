"""``retrocypher show``: one case of a run, in full."""

from pathlib import Path

import click

from plugins.command._console import table_console
from plugins.command._json import json_option, print_json
from plugins.showing import find_case, render_case, show_case

_WIDTH = 100


@click.command("show")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("case")
@click.option("--messages", is_flag=True, help="Show the exemplar and what models were asked, too.")
@json_option
def show_command(run: Path, case: str, messages: bool, as_json: bool) -> None:
    """Show CASE of RUN in full: question, rounds, query against reference, rows, scores, and why it failed.

    CASE is the id of a case, its beginning, or any part of it that no other id has.
    """
    shown = show_case(run, find_case(run, case), with_messages=messages)
    if as_json:
        print_json(shown.to_json())
    else:
        table_console(_WIDTH).print(render_case(shown))
