"""Options of the trials that read a bank of known errors."""

import click

held_out_option = click.option(
    "--held-out", is_flag=True, help="Take the part that is set aside for final figures."
)
misses_option = click.option(
    "--misses",
    type=click.IntRange(min=0),
    default=15,
    show_default=True,
    help="How many kinds of miss to list at most.",
)
