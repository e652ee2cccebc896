"""Self-review, every branch, with models that play a script."""

import json

import pytest
from support.loops import BROKEN, RIGHT, TARGET, Cast, FakeGraph, Once, play

from retrocypher.kg.execution.execution import Execution
from retrocypher.prompts.loops.registry import loops_by_name

REVIEW = loops_by_name()["review"]
ACCEPTED = '{"accepted": true, "issues": [], "suggestions": []}'
REJECTED = '{"accepted": false, "issues": ["no agents"], "suggestions": ["match them"]}'
LONGER = RIGHT.replace("AS id,", "AS id, count(*) AS n,")
SUMMARY = "Molecules react in reactions."


def structured(query: str) -> str:
    return json.dumps({"explanation": "as told", "cypher": query})


def test_an_accepted_query_is_left_alone() -> None:
    played = play(REVIEW, RIGHT, Cast(analyst=SUMMARY, reviewer=ACCEPTED))
    assert played.result.cypher == RIGHT
    assert played.story == [("analyst", "made"), ("executor", "ok"), ("reviewer", "accepted")]
    (asked,) = played.cast.texts("reviewer")
    for part in (SUMMARY, TARGET, RIGHT, '1 rows:\n{"id": 1}', "full context"):
        assert part in asked


def test_the_summary_is_made_once() -> None:
    once, cast = Once(), Cast(analyst=SUMMARY, reviewer=ACCEPTED)
    first, second = (play(REVIEW, RIGHT, cast, once=once) for _ in range(2))
    assert len(cast.texts("analyst")) == 1
    for played in (first, second):
        step = played.steps[0]
        assert step.cached
        assert step.answer is not None
        assert (step.answer.text, step.answer.tokens) == (SUMMARY, None)
    # Without a summary the schema is shown.
    played = play(REVIEW, RIGHT, Cast(analyst=" ", reviewer=ACCEPTED))
    assert played.story[0] == ("analyst", "empty")
    assert "(:Reaction)-[:USES_AGENT]->(:Molecule)" in played.cast.texts("reviewer")[0]


def test_a_rejected_query_is_corrected_and_reviewed_again() -> None:
    cast = Cast(analyst=SUMMARY, reviewer=[REJECTED, ACCEPTED], corrector=structured(LONGER))
    played = play(REVIEW, RIGHT, cast)
    assert played.result.cypher == LONGER
    roles = [role for role, _ in played.story]
    assert roles == ["analyst", "executor", "reviewer", "corrector", "executor", "reviewer"]
    assert "- no agents\n- match them" in played.cast.texts("corrector")[0]
    assert played.finding("corrector")["structured"] is True


def test_three_rounds_end_it() -> None:
    proposals = [structured(LONGER + f" LIMIT {number}") for number in (1, 2, 3, 4)]
    played = play(REVIEW, RIGHT, Cast(analyst=SUMMARY, reviewer=REJECTED, corrector=proposals))
    assert played.result.cypher == LONGER + " LIMIT 3"
    assert len(played.cast.texts("corrector")) == len(played.cast.texts("reviewer")) == 3


@pytest.mark.parametrize("said", ["", "It looks fine.", '{"accepted": "perhaps"}', "[1, 2]", '{"accepted'])
def test_a_reviewer_that_is_not_understood_ends_it(said: str) -> None:
    played = play(REVIEW, RIGHT, Cast(analyst=SUMMARY, reviewer=said))
    assert played.result.cypher == RIGHT
    assert played.story[-1] == ("reviewer", "malformed")


@pytest.mark.parametrize(
    ("said", "verdict", "in_form"),
    [
        ("I would not change it.", "no_query", False),
        (f"```cypher\n{LONGER}\n```", "taken", False),
        (structured(f"```\n{LONGER}\n```"), "taken", True),
        (f"Here you are:\n```json\n{structured(LONGER)}\n```", "taken", True),
        (structured(RIGHT), "unchanged", True),
        (structured(RIGHT.replace(TARGET, "CCO")), "other_molecule", True),
        (structured(BROKEN), "not_executable", True),
        (json.dumps({"cypher": ""}), "no_query", True),
    ],
)
def test_what_a_correction_may_look_like(said: str, verdict: str, in_form: bool) -> None:
    played = play(REVIEW, RIGHT, Cast(analyst=SUMMARY, reviewer=REJECTED, corrector=said))
    assert played.finding("corrector")["structured"] is in_form
    assert next(found for role, found in played.story if role == "corrector") == verdict
    assert played.result.cypher == (LONGER if verdict == "taken" else RIGHT)
    assert len(played.cast.texts("corrector")) == 3
    # A query that stayed is not reviewed again; one proposed twice stays.
    assert len(played.cast.texts("reviewer")) == (2 if verdict == "taken" else 1)


def test_the_reviewer_is_told_of_an_error_and_of_no_query() -> None:
    cast = Cast(analyst=SUMMARY, reviewer=[REJECTED, ACCEPTED], corrector=structured(RIGHT))
    played = play(REVIEW, BROKEN, cast)
    assert played.result.cypher == RIGHT
    assert "status syntax_error: " in played.cast.texts("reviewer")[0]
    nothing = play(REVIEW, None, Cast(analyst=SUMMARY, reviewer=ACCEPTED))
    assert "(there is none)" in nothing.cast.texts("reviewer")[0]


def test_the_rows_that_are_shown_are_capped() -> None:
    rows = [[number, "x" * 5_000] for number in range(5_000)]
    result = Execution("ok", columns=["id", "text"], rows=rows, row_count=5_000)
    played = play(REVIEW, RIGHT, Cast(analyst=SUMMARY, reviewer=ACCEPTED), graph=FakeGraph(result))
    (asked,) = played.cast.texts("reviewer")
    assert "5,000 rows, the first 20 of them:" in asked
    assert asked.count("xxx") > 0
    assert len(asked) < 30_000
