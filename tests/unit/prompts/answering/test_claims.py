"""The claims that a model lists: read strictly, or not at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.prompts.answering.writing import StatedClaims, Triple, read_stated

GOOD = {"subject": 17, "predicate": "PRODUCES", "object": "CCO"}
YIELD = {"subject": 17, "predicate": "YIELD", "object": 87, "product": "CCO"}


def listed(*entries: Any) -> StatedClaims:
    return read_stated(json.dumps(entries))


@pytest.mark.parametrize(
    ("subject", "predicate", "object_", "more", "triple"),
    [
        ("CC(=O)O", "REACTS_IN", 17, {}, Triple("CC(=O)O", "REACTS_IN", 17)),
        (17, "PRODUCES", "CCO", {}, Triple(17, "PRODUCES", "CCO")),
        ("17", "USES_AGENT", "[Na+].[OH-]", {}, Triple(17, "USES_AGENT", "[Na+].[OH-]")),
        ("r1", "USES_SOLVENT", "F/C=C\\F", {}, Triple("r1", "USES_SOLVENT", "F/C=C\\F")),
        (17, "YIELD", 87, {"product": "CCO"}, Triple(17, "YIELD", 87.0, "CCO")),
        (17, "YIELD", 87.5, {"product": None}, Triple(17, "YIELD", 87.5)),
        (17, "LEADS_TO", 18, {}, Triple(17, "LEADS_TO", 18)),
    ],
)
def test_a_claim(subject: Any, predicate: str, object_: Any, more: dict[str, Any], triple: Triple) -> None:
    entry = {"subject": subject, "predicate": predicate, "object": object_, **more}
    # A claim that comes twice counts once.
    stated = listed(entry, entry)
    assert stated.triples == (triple,)
    assert (stated.verdict, stated.findings) == ("listed", [])


@pytest.mark.parametrize("reply", ["[]", " []\n", "```json\n[]\n```", "```\n[ ]\n```"])
def test_a_list_may_be_empty_and_fenced(reply: str) -> None:
    assert read_stated(reply) == StatedClaims()


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "not JSON"),
        ("I cannot help with that.", "not JSON"),
        ("Here they are: []", "not JSON"),
        ("[] []", "not JSON"),
        ("```json\n[]\n```\n```json\n[]\n```", "not JSON"),
        ('[{"subject": 17', "not JSON"),
        ("{}", "not a JSON array"),
        ("null", "not a JSON array"),
        ('{"claims": []}', "not a JSON array"),
        ('[{"subject": 1, "subject": 2}]', "twice"),
        ('[{"subject": 1, "predicate": "YIELD", "object": NaN}]', "NaN is no number"),
        ("[" * 100_000, "nested too deep"),
        (json.dumps([GOOD] * 501), "more than 500 claims"),
        ('["' + "C" * 200_000 + '"]', "longer than"),
        ("[" + "9" * 5_000 + "]", "not JSON"),
    ],
)
def test_what_is_no_list_is_malformed(reply: str, why: str) -> None:
    stated = read_stated(reply)
    assert stated.triples == ()
    assert why in (stated.malformed or "")
    assert stated.verdict == "malformed"
    assert stated.findings == [{"malformed": stated.malformed}]


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("CCO", "not an object"),
        ({**GOOD, "predicate": "IS_GOOD"}, "no predicate 'IS_GOOD'"),
        ({**GOOD, "predicate": ["PRODUCES"]}, "no predicate"),
        ({"subject": 17, "predicate": "PRODUCES"}, "without object"),
        ({**GOOD, "verdict": "SUPPORTED"}, "with verdict"),
        ({**GOOD, "product": "CCO"}, "with product"),
        ({**GOOD, "subject": True}, "the subject is no reaction"),
        ({**GOOD, "subject": -1}, "the subject is no reaction"),
        ({**GOOD, "subject": None}, "the subject is no reaction"),
        ({**GOOD, "object": 5}, "the object is no SMILES"),
        ({**GOOD, "object": "acetic acid"}, "the object is no SMILES"),
        ({**GOOD, "object": " "}, "the object is no SMILES"),
        ({"subject": 5, "predicate": "REACTS_IN", "object": 17}, "the subject is no SMILES"),
        ({**YIELD, "object": "87"}, "the object is no number"),
        ({**YIELD, "object": True}, "the object is no number"),
        ({**YIELD, "object": 10**400}, "the object is no number"),
        ({**YIELD, "product": 3}, "the product is no SMILES"),
    ],
)
def test_a_claim_of_another_form_is_left_out_and_named(entry: Any, why: str) -> None:
    stated = listed(GOOD, entry)
    assert stated.triples == (Triple(17, "PRODUCES", "CCO"),)
    (refused,) = stated.refused
    assert refused.startswith("claim 2: ")
    assert why in refused
    assert (stated.verdict, stated.findings) == ("partly", [{"refused": [refused]}])


def test_a_number_too_large_for_a_float_is_refused() -> None:
    stated = read_stated('[{"subject": 17, "predicate": "YIELD", "object": 1e999}]')
    assert stated.refused == ("claim 1: the object is no number",)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.text())
def test_any_reply_is_read(reply: str) -> None:
    assert read_stated(reply).verdict in ("listed", "partly", "malformed")


@given(st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys((*GOOD, "product"), VALUES)) | VALUES))
def test_each_entry_of_any_list_is_read_or_refused(entries: list[Any]) -> None:
    stated = read_stated(json.dumps(entries))
    assert stated.malformed or len(stated.triples) + len(stated.refused) <= len(entries)
