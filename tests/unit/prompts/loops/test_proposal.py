"""What changed between two queries, as a person reads it."""

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.loops.proposal import edits_between

REFERENCES = sorted({question.reference_cypher for question in load_questions().questions})[::100]


def test_a_change_is_shown_as_it_is_written() -> None:
    before = "MATCH (r:Reaction)<-[:PRODUCES]-(m:Molecule)\nRETURN r.id AS id"
    after = "MATCH (r:Reaction)-[:PRODUCES]->(m:Molecule)\nWHERE m.name = 'C C'\nRETURN r.id AS id"
    assert edits_between(before, after) == [
        {"was": "<", "is": ""},
        {"was": "", "is": ">"},
        {"was": "", "is": "WHERE m.name = 'C C'"},
    ]


def test_a_first_query_is_one_change() -> None:
    assert edits_between(None, "RETURN 1") == [{"was": "", "is": "RETURN 1"}]


@given(st.sampled_from(REFERENCES), st.sampled_from(REFERENCES))
def test_each_change_is_a_part_of_its_query(before: str, after: str) -> None:
    edits = edits_between(before, after)
    assert bool(edits) == (before != after)
    for edit in edits:
        assert edit["was"] in " ".join(before.split())
        assert edit["is"] in " ".join(after.split())
