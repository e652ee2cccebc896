"""Tables for a terminal."""

from rich import box
from rich.table import Table


def counted_table(title: str, first: str, *headings: str) -> Table:
    """Return an empty table with a column of names and columns of numbers."""
    table = Table(title=title, box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table
