"""``retrocypher compare``: what became of one run in another."""

from pathlib import Path

import click

from plugins.baselines import find_side
from plugins.command._console import table_console
from plugins.command._json import json_option, print_json
from plugins.command._measures import measure, slicing
from plugins.comparison import compare_sides, render_comparison
from plugins.statistics import MARGIN


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--metric", callback=measure, default="f1", help="The score to compare (default: f1).")
@click.option(
    "--by",
    multiple=True,
    callback=slicing,
    default=("task",),
    help="Slices: task, steps, prompt, shot, loop, model, setting, phrasing, or some with commas between "
    "(repeatable; default: task).",
)
@click.option(
    "--margin",
    type=click.FloatRange(0, 1),
    default=MARGIN,
    help=f"What is too small to matter (default: {MARGIN:g}).",
)
@click.option("--on-common", is_flag=True, help="Compare runs that were not measured alike all the same.")
@json_option
def compare_command(
    a: str, b: str, metric: str, by: list[tuple[str, ...]], margin: float, on_common: bool, as_json: bool
) -> None:
    """Compare run B with run A question by question; either may also be a baseline, by name or folder.

    The exit status is 0 whatever is found.
    """
    here = Path.cwd()
    found = compare_sides(
        find_side(a, here), find_side(b, here), metric, by, margin=margin, on_common=on_common
    )
    if as_json:
        print_json(found.to_json())
    else:
        table_console().print(render_comparison(found))
