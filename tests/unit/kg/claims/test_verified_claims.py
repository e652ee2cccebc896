"""Triples read as claims, and what the graph says of claims."""

from typing import Any

import pytest
from support.claims_graph import REACTIONS, asking_reactions

from retrocypher.kg.claims.claim import Claim, Verdict
from retrocypher.kg.claims.statements import claim_of
from retrocypher.kg.claims.verification import Tolerance, Verifier


@pytest.fixture
def verifier() -> Verifier:
    return Verifier(asking_reactions(), {each.id: each.source for each in REACTIONS if each.source})


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (Claim("CCO", "REACTS_IN", 12), "SUPPORTED"),
        (Claim(12, "PRODUCES", "CCO"), "CONTRADICTED"),
        (Claim("CC=O", "REACTS_IN", 12), "CONTRADICTED"),
        (Claim(12, "USES_SOLVENT", "[O]"), "CONTRADICTED"),
        (Claim(12, "USES_AGENT", "Cl"), "UNSUPPORTED"),
        (Claim(12, "USES_AGENT", "CCCCCCCCC"), "UNCERTAIN"),
        (Claim(99, "PRODUCES", "CCO"), "UNSUPPORTED"),
        (Claim("ClCCl", "TAKES_PART_IN", 12), "SUPPORTED"),
        (Claim("Cl", "TAKES_PART_IN", 12), "UNSUPPORTED"),
        (Claim(12, "USES_AGENT", "[O]", negated=True), "CONTRADICTED"),
        (Claim(12, "USES_AGENT", "Cl", negated=True), "SUPPORTED"),
        (Claim(12, "PRODUCES", "CCO", negated=True), "SUPPORTED"),
        (Claim(13, "USES_AGENT", None, negated=True), "SUPPORTED"),
        (Claim(12, "USES_AGENT", None, negated=True), "CONTRADICTED"),
        (Claim(12, "YIELD", 81.5, product="CC=O"), "SUPPORTED"),
        (Claim(12, "YIELD", 82.0, product="CC=O"), "UNCERTAIN"),
        (Claim(12, "YIELD", 85.0, product="CC=O"), "CONTRADICTED"),
        (Claim(12, "YIELD", 90.0, product="CC=O", low=80.0), "SUPPORTED"),
        (Claim(12, "YIELD", 0.815, product="CC=O", share=True), "SUPPORTED"),
        (Claim(12, "YIELD", 0.815, product="CC=O"), "CONTRADICTED"),
        (Claim(12, "YIELD", 0.5, product="CC=O", share=True), "CONTRADICTED"),
        (Claim(12, "YIELD", 81.5), "SUPPORTED"),
        (Claim(12, "YIELD", 81.5, product="O"), "UNSUPPORTED"),
        (Claim(12, "YIELD", 81.5, product="CC(=O)O"), "UNSUPPORTED"),
        (Claim(12, "YIELD", 81.5, negated=True), "CONTRADICTED"),
        (Claim(99, "YIELD", 81.5), "UNSUPPORTED"),
        (Claim(None, "YIELD", 60.0, product="CC(=O)O"), "SUPPORTED"),
        (Claim(None, "YIELD", 10.0, product="CC(=O)O"), "CONTRADICTED"),
        (Claim(None, "YIELD", 10.0, product="CCO"), "UNSUPPORTED"),
        (Claim(14, "BEST_YIELD", "CC(=O)O"), "SUPPORTED"),
        (Claim(13, "BEST_YIELD", "CC(=O)O"), "CONTRADICTED"),
        (Claim(12, "BEST_YIELD", "CC(=O)O"), "UNSUPPORTED"),
        (Claim(12, "LEADS_TO", 13), "SUPPORTED"),
        (Claim(13, "LEADS_TO", 12), "CONTRADICTED"),
        (Claim(12, "LEADS_TO", 14), "UNSUPPORTED"),
        (Claim(12, "LEADS_TO", 99), "UNSUPPORTED"),
        (Claim("CC#N", "REACTS_IN", None, product="CC(=O)O"), "SUPPORTED"),
        (Claim("CCO", "REACTS_IN", None, product="CC(=O)O"), "UNSUPPORTED"),
        (Claim("CCCCCCCCC", "REACTS_IN", None, product="CC(=O)O"), "UNCERTAIN"),
        (Claim(None, "USES_SOLVENT", "O", product="CC(=O)O"), "SUPPORTED"),
        (Claim("O", "TAKES_PART_IN", None, product="CC(=O)O"), "SUPPORTED"),
        (Claim(None, "PRODUCES", "O", product="CC=O"), "SUPPORTED"),
        (Claim(None, "PRODUCES", "O", product="CC=O", negated=True), "CONTRADICTED"),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else f"{value.subject} {value.predicate}",
)
def test_a_claim(verifier: Verifier, claim: Claim, verdict: Verdict) -> None:
    (found,) = verifier.verify([claim])
    assert (found.claim, found.verdict) == (claim, verdict)
    assert found.reason


def test_evidence_names_the_record_of_the_source(verifier: Verifier) -> None:
    (found,) = verifier.verify([Claim("CCO", "REACTS_IN", 12)])
    assert [each.to_json() for each in found.evidence] == [
        {
            "reaction": 12,
            "found": "REACTS_IN",
            "source": {"file": "grants.parquet", "row": 7, "grant_date": "1976-01"},
        }
    ]


def test_the_tolerance_is_an_option() -> None:
    strict = Verifier(asking_reactions(), tolerance=Tolerance(near=0.1))
    (found,) = strict.verify([Claim(12, "YIELD", 82.0)])
    assert found.verdict == "CONTRADICTED"
    assert found.evidence[0].source is None


def test_nothing_is_asked_for_no_claims() -> None:
    def ask(query: str, parameters: object) -> list[list[object]]:
        raise AssertionError(query)

    assert Verifier(ask).verify([]) == []


@pytest.mark.parametrize(
    ("subject", "predicate", "object", "claim"),
    [
        ("OCC", "reacts in", "12", Claim("CCO", "REACTS_IN", 12)),
        (12, "PRODUCES", "CCO", Claim(12, "PRODUCES", "CCO")),
        (12, "LEADS_TO", 13, Claim(12, "LEADS_TO", 13)),
        ("CCO", "PRODUCES", "CCO", None),
        (12, "PRODUCES", "no SMILES", None),
        (True, "PRODUCES", "CCO", None),
        (-1, "PRODUCES", "CCO", None),
        (12, "MAKES", "CCO", None),
        (12, "YIELD", "nan", None),
        (12, ["PRODUCES"], {}, None),
    ],
)
def test_a_triple_is_read_strictly(subject: Any, predicate: Any, object: Any, claim: Claim | None) -> None:
    assert claim_of({"subject": subject, "predicate": predicate, "object": object}) == claim


def test_a_triple_may_name_the_product_of_a_yield() -> None:
    triple = {"subject": 12, "predicate": "yield", "object": "81.5 %", "product": "OCC"}
    assert claim_of(triple) == Claim(12, "YIELD", 81.5, product="CCO")
    assert claim_of({**triple, "product": 3}) is None
    assert claim_of({}) is None
