"""What the stored evidence says of facts of the default graph: their confidence, and where texts say them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrocypher.kg.evidence.compact import read_evidence
from retrocypher.kg.evidence.confidence import default_model
from retrocypher.kg.evidence.evidence import Fact
from retrocypher.kg.graph.compact import read_graph, read_manifest
from retrocypher.kg.graph.reaction import Reaction


@dataclass(frozen=True, slots=True)
class GraphEvidence:
    """The evidence of a graph, by fact.

    Attributes:
        confidences: Confidence of each fact, from 0 to 1.
        spans: Of facts that a procedure text states: first character and the one after the last, from 0.
    """

    reactions: Mapping[int, Reaction]
    confidences: Mapping[Fact, float]
    spans: Mapping[Fact, tuple[int, int]]

    def least(self, facts: Iterable[Fact]) -> float | None:
        """Return the confidence of the least confident of some facts; None if none is known."""
        return min((self.confidences[each] for each in facts if each in self.confidences), default=None)

    def surest(self, alternatives: Iterable[Sequence[Fact]]) -> tuple[Fact, ...]:
        """Return the alternative whose least confident fact is the most confident; the first of equals."""
        return tuple(max(alternatives, key=lambda facts: self.least(facts) or 0.0, default=()))

    def along(self, route: Sequence[int]) -> tuple[Fact, ...] | None:
        """Return the relationships that link the reactions of a route; None where two are not linked.

        Where several molecules link two reactions, the surest of them does.
        """
        facts: list[Fact] = []
        for one, other in pairwise(route):
            if one not in self.reactions or other not in self.reactions:
                return None
            shared = {*self.reactions[one].products} & {*self.reactions[other].reactants}
            if not shared:
                return None
            facts += self.surest(
                (Fact(one, "PRODUCES", name), Fact(other, "REACTS_IN", name)) for name in sorted(shared)
            )
        return tuple(facts)


def evidence_of(fingerprint: str | None) -> GraphEvidence | None:
    """Return the evidence of a graph; None unless it is the default graph, which alone has evidence.

    Raises:
        InputError: The stored graph or its evidence is missing or damaged.
    """
    if fingerprint != read_manifest()["fingerprint"]:
        return None
    reactions = read_graph()
    found = read_evidence(None, reactions)
    return GraphEvidence(
        {each.id: each for each in reactions},
        default_model().confidences(found),
        {each.fact: each.span for each in found if each.span is not None},
    )
