"""``retrocypher graph evidence``: what the sources say of the facts of the default graph."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.build import build_evidence
from retrocypher.kg.evidence.compact import DEFAULT_EVIDENCE, coverage, write_evidence
from retrocypher.kg.paths import in_checkout
from retrocypher.plugins.cli.console import EXISTING_FILE, FOLDER, emit, json_option


@click.command("evidence")
@click.option(
    "--uspto-mit",
    "mapped",
    metavar="FILE",
    type=EXISTING_FILE,
    help="USPTO-MIT: mapped reaction SMILES, one a line, plain or gzip (default: without this source).",
)
@click.option(
    "--out", type=FOLDER, help="Folder for the evidence; required unless the committed one is rebuilt."
)
@json_option
def evidence_command(mapped: Path | None, out: Path | None, as_json: bool) -> None:
    """Collect what other records and the procedure texts say of each fact of the default graph.

    A fact is a relationship or a known yield. The command needs Java, and takes two minutes.
    """
    # Without a source, the committed evidence would be another; an installed package is not changed.
    if out is None and (mapped is None or not in_checkout()):
        raise InputError(
            "Name a folder with --out FOLDER: only the evidence of a checkout, made with --uspto-mit FILE, "
            "has one."
        )
    folder = out or DEFAULT_EVIDENCE
    built = build_evidence(mapped)
    write_evidence(folder, built.evidence, built.about)
    counts = coverage(built.evidence)
    emit(as_json, {"folder": str(folder), "counts": counts}, *_table(counts), f"written to {folder}")


def _table(counts: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a line for each kind of fact and each source that is not silent about it."""
    lines = [f"{'fact':<14}{'source':<16}{'agrees':>9}{'differs':>9}{'silent':>9}"]
    for kind, count in counts.items():
        facts, span = count["facts"], count["span"]
        lines.append(f"{kind:<14}{facts:,} facts; {span:,} with a place in the text ({span / facts:.1%})")
        for source, said in count["sources"].items():
            if any(said.values()):
                silent = facts - sum(said.values())
                row = f"{said['agrees']:>9,}{said['differs']:>9,}{silent:>9,}"
                lines.append(f"{'':<14}{source:<16}{row}")
    return lines
