"""Options of all commands that read a bank."""

from pathlib import Path

import click

from kg.questions import load_questions
from plugins.bank import Part, bank_folder

seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of every random choice."
)
bank_option = click.option(
    "--bank",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the bank to read, such as tests/data/bank; the one in the cache where absent.",
)


def folder_of(bank: Path | None, seed: int = 0) -> Path:
    """Return the folder that ``--bank`` names, else that of the cached bank of a seed."""
    return bank or bank_folder(load_questions(), seed)


def part_of(held_out: bool) -> Part:
    """Return the part that ``--held-out`` asks for."""
    return "held_out" if held_out else "development"
