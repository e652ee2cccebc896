"""``retrocypher bank``: builds, shows and samples the bank of known errors."""

from pathlib import Path

import click

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.open import open_server
from retrocypher.plugins.analysis.bank_counts import bank_counts, bank_totals
from retrocypher.plugins.cli.console import (
    FOLDER,
    emit,
    former_option,
    json_option,
    print_json,
    server_option,
    table_console,
)
from retrocypher.plugins.judge.bank import (
    PARTS,
    Bank,
    Part,
    bank_folder,
    build_bank,
    has_bank,
    load_bank,
    read_manifest,
    sample,
    write_bank,
)
from retrocypher.plugins.reporting.judge_tables import bank_line, counts_table, dropped_table, tasks_table
from retrocypher.plugins.runs.record import fields_of

seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="Seed of every random choice."
)
bank_option = click.option(
    "--bank",
    metavar="DIR",
    type=FOLDER,
    help="Folder of the bank, such as tests/data/bank (default: the one in the cache).",
)


def folder_of(bank: Path | None, seed: int = 0) -> Path:
    """Return the folder that ``--bank`` names, or that of the cached bank of a seed."""
    return bank or bank_folder(load_questions(), seed)


def part_of(held_out: bool) -> Part:
    """Return the part of the bank that ``--held-out`` selects."""
    return "held_out" if held_out else "development"


@click.command("build")
@seed_option
@server_option("that runs the mutants on the graph of the questions")
@click.option(
    "--out",
    type=FOLDER,
    help="Folder for the bank (default: one in the cache, named by the hash of its inputs).",
)
@json_option
def bank_build_command(seed: int, server: str, out: Path | None, as_json: bool) -> None:
    """Plant known errors in the reference queries, and keep those that change the score.

    A bank that is already in the cache is not built again.
    """
    question_set = load_questions()
    if out is None and has_bank(bank_folder(question_set, seed)):
        folder = bank_folder(question_set, seed)
        emit(as_json, {"folder": str(folder), "built": False}, f"already built: {folder}")
        return
    reactions = read_graph()
    running = open_server(
        server,
        graph_fingerprint=fingerprint_of(reactions),
        load_graph=lambda driver: load(driver, reactions),
    )
    with running:
        folder = out or bank_folder(question_set, seed, running.endpoint.version)
        bank = build_bank(question_set, running.endpoint, seed)
    write_bank(bank, folder)
    value = {"folder": str(folder), "built": True, "entries": len(bank.entries)}
    emit(as_json, value, bank_line(bank_totals(bank.entries)), f"written to {folder}")


@click.command("show")
@seed_option
@bank_option
@click.option("--by-task", is_flag=True, help="Print the entries by task.")
@click.option("--dropped", is_flag=True, help="Print what was dropped, by reason.")
@json_option
def bank_show_command(seed: int, bank: Path | None, by_task: bool, dropped: bool, as_json: bool) -> None:
    """Print the number of entries by operator, and what was dropped."""
    folder = folder_of(bank, seed)
    entries = load_bank("development", folder) + load_bank("held_out", folder)
    manifest = read_manifest(folder)
    counts = bank_counts(entries, manifest)
    if as_json:
        print_json({"folder": str(folder), **fields_of(counts)})
        return
    console = table_console()
    if by_task:
        console.print(tasks_table(counts))
    if dropped:
        console.print(dropped_table(manifest))
    if not (by_task or dropped):
        console.print(counts_table(counts, manifest))
    console.print(bank_line(bank_totals(entries)))


@click.command("sample")
@seed_option
@bank_option
@click.option(
    "--out", "folder", required=True, type=FOLDER, help="Folder for the sample, which is a bank itself."
)
@former_option("--to", "--out", "folder")
@click.option("--entries", default=4, show_default=True, help="Number of entries of each operator.")
@json_option
def bank_sample_command(seed: int, bank: Path | None, folder: Path, entries: int, as_json: bool) -> None:
    """Write a few entries of each operator, for tests that run without the full bank."""
    source = folder_of(bank, seed)
    manifest = read_manifest(source)
    chosen = tuple(each for part in PARTS for each in sample(load_bank(part, source), entries, seed))
    small = Bank(
        entries=chosen,
        dropped={},
        held_out_questions=frozenset(manifest.held_out_questions),
        held_out_operators=frozenset(manifest.held_out_operators),
        seed=manifest.seed,
    )
    write_bank(small, folder)
    value = {"folder": str(folder), "entries": len(chosen)}
    emit(as_json, value, bank_line(bank_totals(chosen)), f"written to {folder}")
