"""``retrocypher bank build|show|sample|validate``: the bank of known errors."""

from pathlib import Path

import click

from kg.questions import PHRASINGS, load_questions
from kg.reactions import fingerprint_of, read_graph
from kg.schema import default_schema
from kg.server import open_server
from kg.store import load
from plugins.bank import (
    PARTS,
    bank_folder,
    build_bank,
    counts_table,
    evaluate_validator,
    has_bank,
    load_bank,
    read_manifest,
    sample,
    totals,
    validator_table,
    write_bank,
    write_entries,
)
from plugins.command._console import table_console
from prompts.validation import SchemaValidator

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
    console = table_console()
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


@click.command("validate")
@_seed_option
@_out_option
@click.option("--held-out", is_flag=True, help="Take the part that is set aside for final figures.")
@click.option(
    "--phrasing",
    "phrasings",
    type=click.IntRange(1, PHRASINGS),
    multiple=True,
    help="A wording in which questions are asked; may be given several times.  [default: 1]",
)
@click.option("--misses", type=click.IntRange(min=0), default=15, help="How many operators to list.")
def bank_validate_command(
    seed: int, out: Path | None, held_out: bool, phrasings: tuple[int, ...], misses: int
) -> None:
    """Judge the bank's queries and all references by the schema validator, and print what it found.

    It sees query, question and schema, and no task, reference or result.
    """
    question_set = load_questions()
    folder = out or bank_folder(question_set, seed)
    figures = evaluate_validator(
        SchemaValidator(default_schema(), "benchmark"),
        load_bank("held_out" if held_out else "development", folder),
        question_set.questions,
        phrasings or (1,),
    )
    table_console().print(validator_table(figures, misses=misses))
