"""``retrocypher graph apply`` and ``graph revert``: new versions of a graph, with a log."""

from collections.abc import Sequence
from pathlib import Path

import click

from retrocypher.kg.graph.compact import read_manifest
from retrocypher.kg.resolution.versions import Change, apply_proposal, revert
from retrocypher.plugins.cli.audit import texts_of
from retrocypher.plugins.cli.console import EXISTING_FILE, EXISTING_FOLDER, FOLDER, emit, json_option
from retrocypher.plugins.formatting.text import counted


@click.command("apply")
@click.argument("proposal", type=EXISTING_FILE)
@click.option(
    "--graph",
    "folder",
    metavar="DIR",
    type=EXISTING_FOLDER,
    help="Graph to decide (default: the default graph).",
)
@click.option(
    "--out", metavar="DIR", type=FOLDER, required=True, help="Folder of the new version, absent or empty."
)
@json_option
def apply_command(proposal: Path, folder: Path | None, out: Path, as_json: bool) -> None:
    """Make a new version of a graph as PROPOSAL, a file that `graph audit --proposal` wrote, decides.

    The graph itself is not changed. Entries left for review change nothing.
    """
    changes, left = apply_proposal(folder, proposal, texts_of(folder), out)
    _show(changes, out, as_json, f"{counted(left, 'conflict')} left for review", review=left)


@click.command("revert")
@click.argument("folder", metavar="DIR", type=EXISTING_FOLDER)
@click.option(
    "--out", metavar="DIR2", type=FOLDER, required=True, help="Folder of the new version, absent or empty."
)
@json_option
def revert_command(folder: Path, out: Path, as_json: bool) -> None:
    """Make again the version before the last proposal that was applied to DIR, from its log."""
    changes = revert(folder, out)
    _show(changes, out, as_json, f"version {changes[0].undoes} undone", undoes=changes[0].undoes)


def _show(changes: Sequence[Change], out: Path, as_json: bool, note: str, **values: int | None) -> None:
    manifest = read_manifest(out)
    facts = {name: manifest[name] for name in ("parent", "fingerprint")}
    emit(
        as_json,
        {"folder": str(out), **facts, "version": changes[0].version, "changes": len(changes), **values},
        f"version {changes[0].version}: {counted(len(changes), 'change')}; {note}",
        *(f"{name:<11}  {value}" for name, value in facts.items()),
        f"written to {out}",
    )
