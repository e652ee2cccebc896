"""Scores and slices as a user names them."""

import difflib
from collections.abc import Sequence

import click

from plugins.comparison import MEASURES
from plugins.statistics import DIMENSIONS


def measure(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Check the name of a score; raises BadParameter where there is no such score."""
    return _known(value, MEASURES)


def slicing(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> list[tuple[str, ...]]:
    """Read slicings such as ``task,steps``; raises BadParameter where there is no such dimension."""
    return [tuple(_known(name.strip(), DIMENSIONS) for name in each.split(",")) for each in value]


def _known(name: str, names: Sequence[str]) -> str:
    if name in names:
        return name
    near = difflib.get_close_matches(name.lower(), names, n=1)
    meant = f"did you mean {near[0]}? Else " if near else ""
    raise click.BadParameter(f"{name}: not known; {meant}choose from {', '.join(names)}")
