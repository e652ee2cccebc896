"""Verdicts on claims that use the confidence of facts, and evidence down to the text."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.claims_graph import REACTIONS, asking_reactions
from support.evidence import provenance

from retrocypher.kg.claims.claim import Claim, VerifiedClaim
from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.evidence.evidence import Fact, FactKind


def verify(
    claim: Claim, unsure: dict[Fact, float] | None = None, least: float | None = 0.7, **more: Any
) -> VerifiedClaim:
    known = provenance(unsure, least, **more)
    (found,) = Verifier(asking_reactions(), provenance=known).verify([claim])
    return found


ROLE = Claim(12, "PRODUCES", "CC=O")
CHAIN = Claim("CCO", "PRECURSOR_OF", "CC(=O)O", steps=2)
LINK = Claim(12, "LEADS_TO", 13)


@pytest.mark.parametrize(
    ("claim", "fact"),
    [
        (ROLE, Fact(12, "PRODUCES", "CC=O")),
        (Claim("CCO", "TAKES_PART_IN", 12), Fact(12, "REACTS_IN", "CCO")),
        (Claim("CCO", "REACTS_IN", None, product="O"), Fact(12, "PRODUCES", "O")),
        (Claim("CCO", "REACTS_IN", None, product="O"), Fact(12, "REACTS_IN", "CCO")),
        (Claim(12, "USES_SOLVENT", None), Fact(12, "USES_SOLVENT", "ClCCl")),
        (LINK, Fact(12, "PRODUCES", "CC=O")),
        (LINK, Fact(13, "REACTS_IN", "CC=O")),
        (CHAIN, Fact(12, "REACTS_IN", "CCO")),
        (CHAIN, Fact(13, "REACTS_IN", "CC=O")),
        (CHAIN, Fact(13, "PRODUCES", "CC(=O)O")),
        (Claim(12, "YIELD", 81.5), Fact(12, "yield", "CC=O")),
        (Claim(12, "YIELD", 81.5, product="CC=O"), Fact(12, "PRODUCES", "CC=O")),
        (Claim(None, "YIELD", 90.0, product="CC(=O)O", low=60.0), Fact(13, "yield", "CC(=O)O")),
        (Claim(14, "BEST_YIELD", "CC(=O)O"), Fact(14, "yield", "CC(=O)O")),
        (Claim(13, "COUNT", 2, role="REACTS_IN"), Fact(13, "REACTS_IN", "OO")),
    ],
)
def test_the_least_confident_fact_decides(claim: Claim, fact: Fact) -> None:
    assert verify(claim).verdict == "SUPPORTED"
    assert verify(claim).confidence == 0.9
    unsure = verify(claim, {fact: 0.42})
    assert (unsure.verdict, unsure.confidence, unsure.doubted) == ("UNCERTAIN", 0.42, True)
    assert unsure.reason.endswith(", with a confidence of 0.42, below 0.7")
    # Without a threshold it is said and decides nothing.
    told = verify(claim, {fact: 0.42}, least=None)
    assert (told.verdict, told.confidence, told.doubted) == ("SUPPORTED", 0.42, False)


def test_the_surest_of_several_facts_is_enough() -> None:
    unsure = {Fact(13, "USES_SOLVENT", "O"): 0.2}
    assert verify(Claim(None, "USES_SOLVENT", "O"), unsure).confidence == 0.9
    assert verify(Claim(None, "USES_SOLVENT", "O", product="CC(=O)O"), unsure).verdict == "SUPPORTED"
    both = {**unsure, Fact(14, "USES_SOLVENT", "O"): 0.3}
    assert verify(Claim(None, "USES_SOLVENT", "O"), both).confidence == 0.3


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        # What rests on the absence of facts has no confidence.
        (Claim(13, "USES_AGENT", None, negated=True), "SUPPORTED"),
        (Claim(12, "PRODUCES", "OO", negated=True), "SUPPORTED"),
        (Claim("CCO", "COUNT", 1, role="REACTS_IN"), "SUPPORTED"),
        (Claim(12, "PRODUCES", "OO"), "UNSUPPORTED"),
        (Claim(99, "PRODUCES", "CC=O"), "UNSUPPORTED"),
        (Claim(12, "PRODUCES", "CCCC"), "UNCERTAIN"),
    ],
)
def test_claims_that_rest_on_no_fact_keep_their_verdict(claim: Claim, verdict: str) -> None:
    everything: dict[Fact, float] = {
        Fact(each.id, kind, name): 0.1
        for each in REACTIONS
        for kind, role in zip(KINDS, each.roles, strict=True)
        for name in role
    }
    found = verify(claim, everything)
    assert (found.verdict, found.confidence, found.doubted, found.traced) == (verdict, None, False, False)


KINDS: tuple[FactKind, ...] = ("REACTS_IN", "PRODUCES", "USES_AGENT", "USES_SOLVENT")


def test_a_contradiction_stays_one_however_sure_its_fact_is() -> None:
    found = verify(Claim(12, "USES_SOLVENT", "CCO"), {Fact(12, "REACTS_IN", "CCO"): 0.1})
    assert (found.verdict, found.confidence, found.doubted) == ("CONTRADICTED", 0.1, False)


@given(st.floats(0, 1), st.floats(0, 1))
def test_exactly_the_threshold_is_enough(confidence: float, least: float) -> None:
    found = verify(ROLE, {Fact(12, "PRODUCES", "CC=O"): confidence}, least)
    assert found.verdict == ("SUPPORTED" if confidence >= least else "UNCERTAIN")


def test_evidence_cites_record_and_text() -> None:
    found = verify(Claim("CCO", "REACTS_IN", 12))
    assert found.traced
    (shown,) = found.to_json()["evidence"]
    assert shown == {
        "reaction": 12,
        "found": "REACTS_IN",
        "source": {"file": "grants.parquet", "row": 7, "grant_date": "1976-01"},
        "confidence": 0.9,
        "spans": [{"kind": "REACTS_IN", "molecule": "CCO", "start": 0, "stop": 7, "text": "Ethanol"}],
    }
    assert (found.to_json()["confidence"], found.to_json()["traced"]) == (0.9, True)
    absent = verify(Claim("CCO", "REACTS_IN", 12), texts=False)
    assert absent.to_json()["evidence"][0]["spans"][0]["text"] is None
    assert absent.traced
    # One of two facts is in no text.
    assert not verify(Claim("CCO", "REACTS_IN", None, product="CC=O")).traced


def test_without_evidence_nothing_is_added() -> None:
    (found,) = Verifier(asking_reactions()).verify([ROLE])
    shown = found.to_json()
    assert (found.confidence, found.traced) == (None, None)
    assert not {"confidence", "traced"} & shown.keys()
    assert shown["evidence"][0].keys() == {"reaction", "found", "source"}
