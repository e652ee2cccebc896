"""Triples that someone else wrote."""

from typing import Any

import pytest

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.statements import claim_of


@pytest.mark.parametrize(
    ("triple", "claim"),
    [
        ({"subject": "OCC", "predicate": "reacts in", "object": "12"}, Claim("CCO", "REACTS_IN", 12)),
        ({"subject": 12, "predicate": "PRODUCES", "object": "CCO"}, Claim(12, "PRODUCES", "CCO")),
        (
            {"subject": 12, "predicate": "yield", "object": "81.5 %", "product": "OCC"},
            Claim(12, "YIELD", 81.5, product="CCO"),
        ),
        ({"subject": 12, "predicate": "LEADS_TO", "object": 13}, Claim(12, "LEADS_TO", 13)),
        ({"subject": "CCO", "predicate": "PRODUCES", "object": "CCO"}, None),
        ({"subject": 12, "predicate": "PRODUCES", "object": "no SMILES"}, None),
        ({"subject": True, "predicate": "PRODUCES", "object": "CCO"}, None),
        ({"subject": -1, "predicate": "PRODUCES", "object": "CCO"}, None),
        ({"subject": 12, "predicate": "MAKES", "object": "CCO"}, None),
        ({"subject": 12, "predicate": "YIELD", "object": "nan"}, None),
        ({"subject": 12, "predicate": "YIELD", "object": 81.5, "product": 3}, None),
        ({"subject": 12, "predicate": ["PRODUCES"], "object": {}}, None),
        ({}, None),
    ],
)
def test_a_triple_is_read_strictly(triple: dict[str, Any], claim: Claim | None) -> None:
    assert claim_of(triple) == claim
