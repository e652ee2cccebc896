"""``retrocypher bank build|show``: the bank of known errors."""

from pathlib import Path

import click
from rich.console import Console

from kg.questions import load_questions
from kg.reactions import fingerprint_of, read_graph
from kg.server import open_server
from kg.store import load
from plugins.bank import (
    PARTS,
    bank_folder,
    build_bank,
    counts_table,
    has_bank,
    load_bank,
    read_manifest,
    sample,
    totals,
    write_bank,
    write_entries,
)

_seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of every random choice."
)
_out_option = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the bank; one in the cache, by the hash of all that goes into it, where absent.",
)


@click.command("build")
@_seed_option
@click.option(
    "--graph",
    "server",
    metavar="SPEC",
    default="auto",
    show_default=True,
    help="The Neo4j to run mutants on: auto, docker, local or a URI that holds the questions' graph.",
)
@_out_option
def bank_build_command(seed: int, server: str, out: Path | None) -> None:
    """Plant known errors in the reference queries, and keep those that really change the score.

    A bank that is in the cache already is left as it is.
    """
    question_set = load_questions()
    if out is None and has_bank(bank_folder(question_set, seed)):
        click.echo(f"built already: {bank_folder(question_set, seed)}")
        return
    reactions = read_graph()
    running = open_server(
        server,
        graph_fingerprint=fingerprint_of(reactions),
        fill=lambda driver: load(driver, reactions),
        announce=click.echo,
    )
    with running:
        folder = out or bank_folder(question_set, seed, running.endpoint.version)
        bank = build_bank(question_set, running.endpoint, seed, announce=click.echo)
    write_bank(bank, folder)
    click.echo(totals(bank.entries))
    click.echo(f"written to {folder}")


@click.command("show")
@_seed_option
@_out_option
def bank_show_command(seed: int, out: Path | None) -> None:
    """Print how many entries the bank has by operator and task, and what was dropped."""
    folder = out or bank_folder(load_questions(), seed)
    entries = load_bank("development", folder) + load_bank("held_out", folder)
    console = Console(width=None if Console().is_terminal else 240, highlight=False)
    console.print(counts_table(entries, read_manifest(folder)))
    console.print(totals(entries))


@click.command("sample")
@_seed_option
@_out_option
@click.option(
    "--to",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the sample: development.jsonl.gz and held_out.jsonl.gz.",
)
@click.option("--entries", default=4, show_default=True, help="Entries of each operator.")
def bank_sample_command(seed: int, out: Path | None, folder: Path, entries: int) -> None:
    """Write a few entries of each operator, for tests that do without a bank."""
    source = out or bank_folder(load_questions(), seed)
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        chosen = sample(load_bank(part, source), entries, seed)
        write_entries(chosen, folder / f"{part}.jsonl.gz")
        click.echo(f"{len(chosen):,} entries written to {folder / f'{part}.jsonl.gz'}")
