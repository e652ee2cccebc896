"""``retrocypher graph evidence``: what the sources say of the facts of the default graph."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import click

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.build import build_evidence
from retrocypher.kg.evidence.compact import (
    DEFAULT_EVIDENCE,
    Coverage,
    coverage,
    read_evidence,
    write_evidence,
)
from retrocypher.kg.evidence.confidence import default_model
from retrocypher.kg.evidence.evidence import SOURCES, Fact, FactKind
from retrocypher.kg.paths import in_checkout
from retrocypher.plugins.cli.console import EXISTING_FILE, FOLDER, emit, json_option
from retrocypher.plugins.formatting.text import counted

FALL = 0.1
"""A confidence that falls by more than this is flagged (GraphBuilder-RAG, ReverifyAgent)."""

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
    before: dict[Fact, float] = {}
    with suppress(InputError):
        before = default_model().confidences(read_evidence(folder))
    evidence, about = build_evidence(mapped)
    write_evidence(folder, evidence, about)
    after, counts = default_model().confidences(evidence), coverage(evidence)
    changed = [(fact, old, after.get(fact, old)) for fact, old in before.items() if old != after.get(fact)]
    falls = [(fact, old, new) for fact, old, new in changed if old - new > FALL]
    emit(
        as_json,
        {
            "folder": str(folder),
            "counts": counts,
            "changed": len(changed) if before else None,
            "falls": [{"fact": fact, "before": old, "after": new} for fact, old, new in falls],
        },
        *_table(counts),
        f"verified again: {counted(len(changed), 'confidence')} changed, {len(falls):,} fell by more than "
        f"{FALL:g}"
        if before
        else "not compared: the folder had no evidence of this graph",
        *(
            f"  reaction {fact.reaction}, {fact.kind} {fact.molecule}: {old:.3f} to {new:.3f}"
            for fact, old, new in falls[:_SHOWN]
        ),
        f"written to {folder}",
    )


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
