"""``retrocypher labels``: the error labels."""

from dataclasses import asdict

import click
from rich import box
from rich.table import Table

from kg.labels import LABELS
from plugins.command._console import table_console
from plugins.command._json import json_option, print_json


@click.command("list")
@json_option
def labels_list_command(as_json: bool) -> None:
    """Print the labels with their meanings and where each definition comes from."""
    if as_json:
        print_json({"labels": [asdict(label) for label in LABELS.values()]})
        return
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("label", "meaning", "source"):
        table.add_column(heading)
    for label in LABELS.values():
        table.add_row(label.name, label.meaning, label.source)
    table_console().print(table)
