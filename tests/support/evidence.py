"""Evidence of a small graph, for tests without the stored one."""

from collections.abc import Mapping

from retrocypher.kg.claims.verification import Provenance
from retrocypher.kg.evidence.evidence import Fact, facts_of
from retrocypher.kg.evidence.lookup import GraphEvidence
from retrocypher.kg.graph.reaction import Reaction
from support.claims_graph import REACTIONS

TEXTS = {12: "Ethanol was oxidised in dichloromethane.", 13: "The aldehyde was oxidised."}
SPANS = {Fact(12, "REACTS_IN", "CCO"): (0, 7), Fact(12, "USES_SOLVENT", "ClCCl"): (24, 39)}


def evidence_of(
    sure: float = 0.9,
    unsure: Mapping[Fact, float] | None = None,
    reactions: tuple[Reaction, ...] = REACTIONS,
) -> GraphEvidence:
    """Return evidence in which all facts are equally sure, but for some."""
    facts = [each for reaction in reactions for each in facts_of(reaction)]
    return GraphEvidence(
        {each.id: each for each in reactions}, {**dict.fromkeys(facts, sure), **(unsure or {})}, SPANS
    )


def provenance(
    unsure: Mapping[Fact, float] | None = None, least: float | None = 0.7, texts: bool = True
) -> Provenance:
    """Return what a verifier knows of where facts come from."""
    return Provenance(evidence_of(0.9, unsure), TEXTS.get if texts else lambda _: None, least)
