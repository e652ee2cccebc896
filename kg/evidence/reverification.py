"""Verifying facts again: which need it most, and what another look at the sources changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from retrocypher.kg.evidence.confidence import ConfidenceModel
from retrocypher.kg.evidence.evidence import Evidence, Fact
from retrocypher.kg.graph.reaction import Reaction

FALL = 0.1
"""A confidence that falls by more than this is flagged (GraphBuilder-RAG, ReverifyAgent)."""


@dataclass(frozen=True, slots=True)
class Recheck:
    """Facts that need verification, by the grant month of their record, the oldest first.

    Attributes:
        differing: Facts that a source contradicts.
        unchecked: Facts that no source but the record speaks of.
    """

    differing: tuple[Evidence, ...]
    unchecked: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class ConfidenceChange:
    """A fact whose confidence is another after its sources were read again; None where it is new or gone."""

    fact: Fact
    before: float | None
    after: float | None

    @property
    def is_fall(self) -> bool:
        """Whether the confidence fell by more than `FALL`."""
        return self.before is not None and self.after is not None and self.before - self.after > FALL


def to_recheck(evidence: Iterable[Evidence], reactions: Sequence[Reaction]) -> Recheck:
    """Return the facts whose sources differ, and those that were never checked, the oldest first."""
    month = _months(reactions)
    ordered = sorted(evidence, key=lambda each: month[each.fact.reaction])
    return Recheck(
        tuple(each for each in ordered if any(verdict == "differs" for _, verdict in each.verdicts)),
        tuple(each for each in ordered if not each.verdicts),
    )


def confidence_changes(
    before: Iterable[Evidence],
    after: Iterable[Evidence],
    model: ConfidenceModel,
    reactions: Sequence[Reaction],
) -> list[ConfidenceChange]:
    """Return the facts whose confidence differs between two readings of the sources, the oldest first."""
    old, new, month = model.confidences(before), model.confidences(after), _months(reactions)
    changed = [fact for fact in {**old, **new} if old.get(fact) != new.get(fact)]
    changed.sort(key=lambda fact: month[fact.reaction])
    return [ConfidenceChange(fact, old.get(fact), new.get(fact)) for fact in changed]


def _months(reactions: Iterable[Reaction]) -> Mapping[int, str]:
    """The grant month of the record of each reaction; empty where it is not known."""
    return {each.id: (each.source.grant_date or "") if each.source else "" for each in reactions}
