"""Chain of verification, every branch, with models that play a script."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.loops import BROKEN, RIGHT, TARGET, Cast, play

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.loops.cove import mask
from retrocypher.prompts.loops.proposal import edits_between
from retrocypher.prompts.loops.registry import loops_by_name

COVE = loops_by_name()["cove"]
VALID = '{"valid": true, "errors": []}'
WRONG = '{"valid": false, "errors": [{"item": 9, "problem": "agents are not returned"}]}'
TURNED = RIGHT.replace("-[:PRODUCES]->", "<-[:PRODUCES]-", 1)
LONGER = RIGHT.replace("AS id,", "AS id, count(*) AS n,")
QUESTIONS = load_questions().questions


def fenced(query: str) -> str:
    return f"```\n{query.replace(TARGET, 'MOLECULE_1')}\n```"


def test_a_query_found_valid_is_left_alone() -> None:
    played = play(COVE, RIGHT, Cast(validator=VALID))
    assert played.result.cypher == RIGHT
    assert played.story == [("explain", "ok"), ("direction", "unchanged"), ("validator:checklist", "valid")]


def test_an_arrow_is_turned_without_a_model() -> None:
    played = play(COVE, TURNED, Cast(validator=VALID))
    assert played.result.cypher == RIGHT
    assert played.story[1] == ("direction", "turned")
    assert played.finding("direction")["edit"] == [{"was": "<-[:PRODUCES]-", "is": "-[:PRODUCES]->"}]
    assert [role for role, _ in played.cast.asked] == ["validator"]


def test_a_query_that_cannot_run_is_corrected_without_its_smiles() -> None:
    played = play(COVE, BROKEN, Cast(corrector=fenced(RIGHT), validator=VALID))
    assert played.result.cypher == RIGHT
    assert [verdict for role, verdict in played.story if role == "corrector"] == ["taken"]
    (asked,) = played.cast.texts("corrector")
    assert TARGET not in asked
    for part in ("RETRUN", "name: 'MOLECULE_1'", "is MOLECULE_1 made?"):
        assert part in asked
    assert played.finding("corrector")["edit"] == [{"was": "RETRUN", "is": "RETURN"}]
    with_messages = [step for step in played.steps if step.messages is not None]
    assert [step.messages for step in with_messages] == [messages for _, messages in played.cast.asked]
    assert all(step.answer is not None and step.answer.tokens for step in with_messages)
    assert all(step.time_s > 0 for step in played.steps if step.messages is None)


def test_findings_go_to_the_corrector() -> None:
    played = play(COVE, RIGHT, Cast(validator=[WRONG, VALID], corrector=fenced(LONGER)))
    assert played.result.cypher == LONGER
    assert played.story[2:] == [
        ("validator:checklist", "invalid"),
        ("corrector", "taken"),
        ("explain", "ok"),
        ("direction", "unchanged"),
        ("validator:checklist", "valid"),
    ]
    assert "1. agents are not returned" in played.cast.texts("corrector")[0]
    assert played.finding("validator:checklist")["label"] == "duplicate_or_incomplete"


def test_three_corrections_end_it() -> None:
    proposals = [fenced(LONGER + f" LIMIT {number}") for number in (1, 2, 3, 4)]
    played = play(COVE, RIGHT, Cast(validator=WRONG, corrector=proposals))
    assert played.result.cypher == LONGER + " LIMIT 3"
    assert [verdict for role, verdict in played.story if role == "corrector"] == ["taken"] * 3
    # After the last correction nobody validates.
    assert len(played.cast.texts("validator")) == 3


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("I am sorry, this query is fine as it is.", "no_query"),
        ("", "no_query"),
        (fenced(RIGHT), "unchanged"),
        (fenced(RIGHT).replace("OPTIONAL", "  OPTIONAL"), "unchanged"),
        (fenced(RIGHT).replace("MOLECULE_1", "MOLECULE_7"), "unknown_name"),
        (fenced(RIGHT).replace("MOLECULE_1", "CC(=O)OC"), "other_molecule"),
        (fenced(LONGER).replace(" {name: 'MOLECULE_1'}", ""), "lost_molecule"),
        (fenced(BROKEN), "not_executable"),
        ("```\nMATCH (n) DELETE n RETURN 'MOLECULE_1'\n```", "not_executable"),
    ],
)
def test_a_useless_correction_is_refused_with_its_reason_three_times(said: str, verdict: str) -> None:
    played = play(COVE, RIGHT, Cast(validator=WRONG, corrector=said))
    assert played.result.cypher == RIGHT
    assert [found for role, found in played.story if role == "corrector"] == [verdict] * 3
    first, second, third = played.cast.texts("corrector")
    assert "was not taken" not in first
    assert "was not taken" in second
    assert second == third
    assert TARGET not in second
    # The same query is not validated again.
    assert len(played.cast.texts("validator")) == 1


def test_a_query_that_cannot_run_may_be_replaced_by_another_that_cannot() -> None:
    worse = BROKEN.replace("OPTIONAL", "OPTIONALLY")
    played = play(COVE, BROKEN, Cast(corrector=[fenced(worse), fenced(RIGHT)], validator=VALID))
    assert played.result.cypher == RIGHT
    assert [verdict for role, verdict in played.story if role == "corrector"] == ["taken", "taken"]
    assert "OPTIONALLY" in played.cast.texts("corrector")[1]


@pytest.mark.parametrize(("first", "status"), [(None, "no_query"), ("MATCH (n) DELETE n", "refused")])
def test_a_completion_without_a_query_that_may_run_is_corrected(first: str | None, status: str) -> None:
    played = play(COVE, first, Cast(corrector=fenced(RIGHT), validator=VALID))
    assert played.result.cypher == RIGHT
    assert played.story[0] == ("explain", status)


@pytest.mark.parametrize("said", ["", "Hm.", "{", '{"score": 3}', "{" * 500])
def test_a_validator_that_is_not_understood_starts_no_correction(said: str) -> None:
    played = play(COVE, RIGHT, Cast(validator=said), validator="both")
    assert played.result.cypher == RIGHT
    assert [role for role, _ in played.story[2:]] == ["validator:schema", "validator:checklist"]
    assert played.story[-1][1] == "malformed"


ASKED = "Which reactions make F/C=C\\F and C[N+](C)(C)C in one step?"


@pytest.mark.parametrize("question", random.Random(5).sample(QUESTIONS, 20), ids=lambda each: each.id)
def test_reference_queries_come_back(question: object) -> None:
    text, query = question.text, question.reference_cypher  # type: ignore[attr-defined]
    masked = mask(text, query)
    assert masked.restore(masked.query) == query
    long = [value for value in masked.values.values() if len(value) > 4]
    assert not any(value in masked.query + masked.question for value in long)


def test_a_molecule_has_one_name_in_question_and_query() -> None:
    query = f"MATCH (m) WHERE m.name IN [{quote('F/C=C' + chr(92) + 'F')}, 'CCO'] RETURN m"
    masked = mask(ASKED, query)
    assert masked.question == "Which reactions make MOLECULE_1 and MOLECULE_2 in one step?"
    assert masked.query == "MATCH (m) WHERE m.name IN ['MOLECULE_1', 'MOLECULE_3'] RETURN m"
    # A molecule beside a broken quote is masked too.
    assert "MOLECULE_2" in mask(ASKED, "MATCH (m {name: 'C[N+](C)(C)C}) RETURN m").query


def test_names_of_a_correction() -> None:
    masked = mask(ASKED, "RETURN 1")
    for written in ("'MOLECULE_2'", '"MOLECULE_2"', "MOLECULE_2", "$MOLECULE_2"):
        restored = masked.restore(f"MATCH (m {{name: {written}}}) RETURN m")
        assert restored == "MATCH (m {name: 'C[N+](C)(C)C'}) RETURN m"
    unknown = masked.unknown_names("RETURN 'MOLECULE_1', 'MOLECULE_9', MOLECULE_12")
    assert unknown == ["MOLECULE_12", "MOLECULE_9"]


def test_names_do_not_clash_with_the_text() -> None:
    masked = mask(ASKED, "MATCH (MOLECULE_1) RETURN MOLECULE_1, 'CCO'")
    assert masked.query == "MATCH (MOLECULE_1) RETURN MOLECULE_1, 'MOLECULEX_3'"
    assert masked.unknown_names(masked.query) == []


@given(st.lists(st.text(max_size=12), max_size=5), st.text(max_size=30), st.sampled_from("'\""))
def test_any_strings_come_back(values: list[str], question: str, other: str) -> None:
    query = "RETURN " + ", ".join([*map(quote, values), f"{other}CCO{other}", "'CCO'"])
    masked = mask(question, query)
    assert masked.restore(masked.query) == query


REFERENCES = st.sampled_from(sorted({question.reference_cypher for question in QUESTIONS})[::100])


@given(REFERENCES, REFERENCES)
def test_each_edit_is_a_part_of_its_query(before: str, after: str) -> None:
    edits = edits_between(before, after)
    assert bool(edits) == (before != after)
    assert all(edit["was"] in " ".join(before.split()) for edit in edits)
    assert all(edit["is"] in " ".join(after.split()) for edit in edits)
    assert edits_between(None, "RETURN 1") == [{"was": "", "is": "RETURN 1"}]
