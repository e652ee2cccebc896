"""Claims on the graph: reading them from an answer, and what the graph says of each."""

from kg.claims._model import (
    PREDICATES,
    ROLE_PREDICATES,
    VERDICTS,
    Claim,
    Evidence,
    Predicate,
    Verdict,
    VerifiedClaim,
)
from kg.claims._query import Ask, asking
from kg.claims._read import read_answer, read_claims
from kg.claims._reading import Reading
from kg.claims._triples import claim_of
from kg.claims._verify import Tolerance, Verifier

__all__ = [
    "PREDICATES",
    "ROLE_PREDICATES",
    "VERDICTS",
    "Ask",
    "Claim",
    "Evidence",
    "Predicate",
    "Reading",
    "Tolerance",
    "Verdict",
    "VerifiedClaim",
    "Verifier",
    "asking",
    "claim_of",
    "read_answer",
    "read_claims",
]
