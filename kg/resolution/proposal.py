"""Proposals: files in which a person decides the conflicts of a graph."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec
import yaml
from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import write_whole
from retrocypher.kg.resolution.conflict import (
    Conflict,
    Decision,
    Keep,
    Strategy,
    Thresholds,
    Value,
    decide,
)

_HEADER = """\
# Conflicts of a graph. Edit each `decision`, then run `retrocypher graph apply`:
#   {keep: VALUE}  keep this candidate, drop the others
#   drop           drop all candidates
#   review         leave the graph as it is
# Entries may be deleted. Nothing else may be changed: `proposed` is what the strategy chose.
"""


ChosenBy = Strategy | Literal["by_hand"]
"""What chose a decision: a strategy, or a person who changed what it proposed."""


class Entry(Conflict, frozen=True, forbid_unknown_fields=True):
    """A conflict, what a strategy proposed, and what is decided."""

    strategy: Strategy
    proposed: Decision
    decision: Decision

    @property
    def kept(self) -> Value | None:
        """The value that is kept; None if all are dropped."""
        return self.decision.keep if isinstance(self.decision, Keep) else None

    @property
    def chosen_by(self) -> ChosenBy:
        """What chose the decision."""
        return self.strategy if self.decision == self.proposed else "by_hand"


class Proposal(Struct, frozen=True, forbid_unknown_fields=True):
    """Conflicts of the graph with a fingerprint."""

    graph: str
    thresholds: Thresholds
    """Those that the strategies had."""
    conflicts: tuple[Entry, ...]


def propose(fingerprint: str, conflicts: Iterable[Conflict], thresholds: Thresholds) -> Proposal:
    """Return a proposal in which the strategies have decided what they can."""
    entries = []
    for each in conflicts:
        strategy, proposed = decide(each, thresholds)
        about = msgspec.structs.asdict(each)
        entries.append(Entry(**about, strategy=strategy, proposed=proposed, decision=proposed))
    return Proposal(fingerprint, thresholds, tuple(entries))


def write_proposal(file: Path, proposal: Proposal) -> None:
    """Write a proposal; raise InputError if that fails."""
    text = yaml.safe_dump(
        msgspec.to_builtins(proposal),
        sort_keys=False,
        allow_unicode=True,
        width=sys.maxsize,
        default_flow_style=None,
    )
    write_whole(file, _HEADER + text)


def check_entries(proposal: Proposal, known: Iterable[Conflict], file: Path) -> None:
    """Raise InputError if more than decisions was edited, or an entry keeps what is no candidate."""
    made = {each.key: each for each in propose(proposal.graph, known, proposal.thresholds).conflicts}
    for number, entry in enumerate(proposal.conflicts, start=1):
        of = f"{entry.molecule} in " if entry.molecule else ""
        where = f"{file}, entry {number} ({entry.about} of {of}{', '.join(map(str, entry.reactions))})"
        if (own := made.pop(entry.key, None)) is None:
            raise InputError(
                f"{where}: the graph has no such conflict (the log of a version may have settled it), or an "
                "entry before is about the same conflict. Delete the entry."
            )
        names = (each for each in entry.__struct_fields__ if each != "decision")
        if changed := [each for each in names if getattr(entry, each) != getattr(own, each)]:
            raise InputError(
                f"{where}: {', '.join(changed)} changed since `graph audit` wrote the file: only `decision` "
                "may be edited, and another version may propose other things. Make the proposal again."
            )
        values = [each.value for each in entry.candidates]
        if entry.kept not in (None, *values):
            shown = ", ".join(map(repr, values))
            raise InputError(f"{where}: {entry.kept!r} is not among the candidates. Keep one of {shown}.")
