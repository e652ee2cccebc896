"""Reasons of judges, filed under the errors they name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels import LABELS
from retrocypher.plugins.judge.agreement import NO_REASON, UNCLEAR, load_issues, parse_issues

REASONS = {
    "The PRODUCES arrow is reversed, so the target is matched as a reactant.": "traversal_direction",
    "The query follows the relationship in the wrong direction.": "traversal_direction",
    "The query does not return the solvents.": "missing_component",
    "It omits the reaction id and the agents.": "missing_component",
    "The query uses a relationship type HAS_PRODUCT that does not exist in the schema.": "schema_violation",
    "The SMILES in the query is not that of the question.": "altered_smiles",
    "It looks up a different molecule than the question names.": "wrong_entity",
    "A LIMIT 10 is added that was not asked for.": "limit",
    "The path has too few steps.": "path_length",
    "It searches for three steps instead of two.": "path_length",
    "The query has a syntax error: a closing bracket is missing.": "syntax_error",
    "Yields are sorted in ascending order, so the lowest one is returned.": "wrong_aggregation_or_order",
    "It uses USES_AGENT instead of USES_SOLVENT.": "wrong_relationship",
    "It lacks the null check on the yield.": "missing_null_check",
    "There is no query in the answer.": "no_query",
    "Reactions are returned several times: DISTINCT is missing.": "duplicate_or_incomplete",
    "It joins the two products by OR instead of AND.": "set_logic",
    "The start and end molecules are swapped.": "endpoint_anchoring",
    "The query reverses the PRODUCES relationship.": "traversal_direction",
    "REACTS_IN points from the reaction to the molecule.": "traversal_direction",
    "The query traverses three steps where the question asks for two.": "path_length",
    "The query uses a property `smiles` that does not exist on Molecule nodes.": "schema_violation",
    "A placeholder is used instead of the actual SMILES.": "wrong_entity",
    "LIMIT 10 truncates the result although the question asks for all reactions.": "limit",
    "All lines are commented out, so there is no executable query.": "no_query",
    "It returns molecules rather than reactions.": "return_shape",
    "The function apoc.path.expand is not available.": "syntax_error",
    "MATCH is used instead of OPTIONAL MATCH.": "duplicate_or_incomplete",
    "The query does not answer the question.": "other",
}


@pytest.mark.parametrize(("reason", "label"), REASONS.items())
def test_reasons_are_filed_as_a_person_would(reason: str, label: str) -> None:
    assert load_issues().of(reason)[0] == label


def test_what_is_praised_is_no_issue() -> None:
    issues = load_issues()
    assert issues.of("The arrows point the right way and the columns are correct.") == (UNCLEAR,)
    assert issues.of("The direction is correct, but the solvents are missing.") == ("missing_component",)
    assert issues.of("  ") == (NO_REASON,)


def test_a_reason_may_name_several_issues_in_its_order() -> None:
    found = load_issues().of(
        "It omits the solvents. The PRODUCES arrow is reversed; the solvents are missing."
    )
    assert found == ("missing_component", "traversal_direction")


@given(st.text(max_size=300))
def test_any_text_is_filed_somewhere(reason: str) -> None:
    found = load_issues().of(reason)
    assert found
    assert set(found) <= {*LABELS, NO_REASON, UNCLEAR}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[", "is not YAML"),
        ("[]", "must hold faults, praise and issues"),
        ("{faults: [], praise: [a], issues: []}", "lists that are not empty"),
        ("{faults: [a], praise: [a], issues: [{label: limit}]}", "must hold label, says and about"),
        ("{faults: [a], praise: [a], issues: [{label: x, says: [], about: []}]}", "is no label"),
        ("{faults: [a], praise: [a], issues: [{label: limit, says: a, about: []}]}", "a list of words"),
    ],
)
def test_a_damaged_file_is_refused(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_issues(text)
