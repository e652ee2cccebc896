"""``retrocypher graph evidence``: what the sources say of the facts of the default graph."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click
import msgspec

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.build import build_evidence
from retrocypher.kg.evidence.compact import (
    DEFAULT_EVIDENCE,
    MANIFEST,
    Coverage,
    coverage,
    read_evidence,
    write_evidence,
)
from retrocypher.kg.evidence.confidence import default_model
from retrocypher.kg.evidence.evidence import SOURCES, Evidence, FactKind
from retrocypher.kg.evidence.reverification import FALL, ConfidenceChange, confidence_changes, to_recheck
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.paths import in_checkout
from retrocypher.plugins.cli.console import EXISTING_FILE, FOLDER, emit, json_option
from retrocypher.plugins.formatting.text import counted

_logger = logging.getLogger(__name__)
_SHOWN = 20


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

    A fact is a relationship or a known yield. Evidence that is in the folder already is verified again: facts
    whose confidence changed are counted, and falls of more than 0.1 are listed, those of the oldest records
    first. The command needs Java, and takes some minutes.
    """
    # Without a source, the committed evidence would be another; an installed package is not changed.
    if out is None and (mapped is None or not in_checkout()):
        raise InputError(
            "Name a folder with --out FOLDER: only the evidence of a checkout, made with --uspto-mit FILE, "
            "has one."
        )
    folder = out or DEFAULT_EVIDENCE
    before = _earlier(folder)
    built = build_evidence(mapped)
    write_evidence(folder, built.evidence, built.about)
    counts, reactions = coverage(built.evidence), read_graph()
    recheck, changes = to_recheck(built.evidence, reactions), None
    if before is not None:
        changes = confidence_changes(before, built.evidence, default_model(), reactions)
    emit(
        as_json,
        {
            "folder": str(folder),
            "counts": msgspec.to_builtins(counts),
            "recheck": recheck,
            "changes": changes,
        },
        *_table(counts),
        f"{counted(len(recheck.differing), 'fact')} with a source that differs, "
        f"{len(recheck.unchecked):,} that no other source speaks of",
        *(_changed(changes) if changes is not None else ()),
        f"written to {folder}",
    )


def _earlier(folder: Path) -> tuple[Evidence, ...] | None:
    """The evidence in a folder; None if there is none that can be read, which the new one replaces."""
    if not (folder / MANIFEST).exists():
        return None
    try:
        return read_evidence(folder)
    except InputError as error:
        _logger.warning(f"Not compared with what is in the folder: {error}")
        return None


def _changed(changes: Sequence[ConfidenceChange]) -> Iterator[str]:
    falls = [each for each in changes if each.is_fall]
    changed = f"{counted(len(changes), 'confidence')} changed, {len(falls):,} fell by more than {FALL:g}"
    yield f"verified again: {changed}"
    for each in falls[:_SHOWN]:
        fact, values = each.fact, f"{each.before:.3f} to {each.after:.3f}"
        yield f"  reaction {fact.reaction}, {fact.kind} {fact.molecule}: {values}"


def _table(counts: Mapping[FactKind, Coverage]) -> list[str]:
    """Return lines for each kind of fact: one, and one for each source that is not silent about it."""
    lines = [f"{'fact':<14}{'source':<16}{'agrees':>9}{'differs':>9}{'silent':>9}"]
    for kind, count in counts.items():
        share = f"{count.span:,} with a place in the text ({count.span / count.facts:.1%})"
        lines.append(f"{kind:<14}{counted(count.facts, 'fact')}; {share}")
        for source in SOURCES:
            agrees, differs = count.agrees[source], count.differs[source]
            if agrees or differs:
                silent = count.facts - agrees - differs
                lines.append(f"{'':<14}{source:<16}{agrees:>9,}{differs:>9,}{silent:>9,}")
    return lines
