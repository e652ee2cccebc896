"""What the graph says of each claim."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kg.claims._facts import Facts, gather
from kg.claims._model import Claim, Evidence, VerifiedClaim
from kg.claims._query import Ask
from kg.claims._roles import by_role
from kg.claims._several import by_chain, by_link
from kg.claims._yields import by_best, by_yield
from kg.reactions import Source


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a yield may be from that of the graph, in percentage points.

    Attributes:
        same: Up to here it is the same number, written with fewer digits.
        near: Up to here it is uncertain; beyond, it is another number.
    """

    same: float = 0.05
    near: float = 1.0


class Verifier:
    """Looks claims up in the graph, those of one answer together.

    Args:
        ask: Runs a query of ours with parameters; see `asking`.
        sources: The record that each reaction was made from, by its id, for the evidence.
        tolerance: What counts as the same yield.
    """

    def __init__(
        self, ask: Ask, sources: Mapping[int, Source] | None = None, tolerance: Tolerance | None = None
    ) -> None:
        self._ask = ask
        self._sources = sources or {}
        self._tolerance = tolerance or Tolerance()

    def verify(self, claims: Iterable[Claim]) -> list[VerifiedClaim]:
        """Return the claims in order, each with its verdict and evidence.

        The graph is taken to be whole for the reactions that it holds: a molecule that it knows and does not
        hold in a reaction has no part in it.

        Raises:
            GraphError: The server cannot be read.
        """
        claims = list(claims)
        facts = gather(self._ask, claims)
        return [self._traced(self._judged(claim, facts)) for claim in claims]

    def _judged(self, claim: Claim, facts: Facts) -> VerifiedClaim:
        if claim.predicate == "YIELD":
            return by_yield(claim, facts, self._tolerance.same, self._tolerance.near)
        if claim.predicate == "BEST_YIELD":
            return by_best(claim, facts)
        if claim.predicate == "LEADS_TO":
            return by_link(claim, facts)
        if claim.predicate == "PRECURSOR_OF":
            return by_chain(claim, facts)
        return by_role(claim, facts)

    def _traced(self, found: VerifiedClaim) -> VerifiedClaim:
        evidence = tuple(self._with_source(each) for each in found.evidence)
        return VerifiedClaim(found.claim, found.verdict, found.reason, evidence)

    def _with_source(self, evidence: Evidence) -> Evidence:
        source = self._sources.get(evidence.reaction)
        if source is None:
            return evidence
        told = {"file": source.file, "row": source.row, "grant_date": source.grant_date}
        return Evidence(evidence.reaction, evidence.found, told)
