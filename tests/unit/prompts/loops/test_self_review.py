"""Self-review, with roles that play a script and no server."""

import json
from typing import Any

import pytest
from support.loops import BROKEN, QUESTION, RIGHT, TARGET, Cast, FakeGraph, Once, Played, play

from retrocypher.kg.execution.execution import Execution
from retrocypher.prompts.loops.registry import loops_by_name

REVIEW = loops_by_name()["self-review"]
CONTROL = loops_by_name()["self-review-control"]
LONGER = RIGHT.replace("AS id,", "AS id, count(*) AS n,")
DESCRIPTION = "Molecules react in reactions."
ACCEPTED = '{"accepted": true, "issues": []}'
REJECTED = json.dumps(
    {"accepted": False, "issues": [{"dimension": "entities", "problem": "no agents; match them"}, "odd", ""]}
)
MATCHES = "**Matches Intent**: Yes\n**Analysis**: all there"
DIFFERS = "Matches intent: no\nAnalysis: the agents are missing\nSuggestions: return them"


def structured(query: str) -> str:
    return json.dumps({"explanation": "as the feedback asks", "cypher": query})


def reviewed(query: str | None, *, reviewer: Any = ACCEPTED, analyst: Any = MATCHES, **more: Any) -> Played:
    """Play the loop on a query, by what reviewer, result analyst and corrector say."""
    corrector = more.pop("corrector", structured(LONGER))
    cast = Cast(analyst=DESCRIPTION, reviewer=reviewer, result_analyst=analyst, corrector=corrector)
    return play(REVIEW, query, cast, **more)


def test_an_accepted_query_is_run_and_left_alone() -> None:
    played = reviewed(RIGHT)
    assert played.result.cypher == RIGHT
    assert played.story == [
        ("analyst", "made"),
        ("reviewer", "accepted"),
        ("executor", "ok"),
        ("result_analyst", "accepted"),
    ]
    for role in ("reviewer", "result_analyst"):
        (asked,) = played.cast.texts(role)
        assert all(part in asked for part in (DESCRIPTION, TARGET, RIGHT, "The full context"))
    assert '1 rows:\n{"id": 1}' in played.cast.texts("result_analyst")[0]


def test_the_generator_reads_the_prompt_the_description_and_a_hint() -> None:
    played = reviewed(RIGHT)
    system, user = played.first_messages
    assert system == {"role": "system", "content": "Write Cypher."}
    assert DESCRIPTION in user["content"]
    assert "Hint: The full context is wanted" in user["content"]
    assert user["content"].endswith(QUESTION)
    assert "guidelines" not in user["content"]
    guided = reviewed(RIGHT, guidelines="1. Follow arrows.").first_messages[-1]["content"]
    assert "1. Follow arrows." in guided
    assert "Think step by step" in guided
    assert guided.endswith(QUESTION)


def test_the_control_arm_has_no_review() -> None:
    played = play(CONTROL, BROKEN, Cast(analyst=DESCRIPTION))
    assert played.result.cypher == BROKEN
    assert played.story == [("analyst", "made")]
    assert played.first_messages == reviewed(RIGHT).first_messages
    assert played.graph.ran == []


def test_the_description_is_made_once_a_run() -> None:
    once, cast = Once(), Cast(analyst=DESCRIPTION)
    first, second = (play(CONTROL, RIGHT, cast, once=once) for _ in range(2))
    assert len(cast.texts("analyst")) == 1
    for played in (first, second):
        (step,) = played.steps
        assert step.cached
        assert step.answer is not None
        assert (step.answer.text, step.answer.tokens) == (DESCRIPTION, None)
    # Without a description the schema is shown.
    played = play(CONTROL, RIGHT, Cast(analyst=" "))
    assert played.story == [("analyst", "empty")]
    assert "(:Reaction)-[:USES_AGENT]->(:Molecule)" in played.first_messages[-1]["content"]


def test_a_query_rejected_before_it_is_run_is_corrected_once() -> None:
    played = reviewed(RIGHT, reviewer=REJECTED)
    assert played.result.cypher == LONGER
    assert [role for role, _ in played.story] == [
        "analyst",
        "reviewer",
        "corrector",
        "executor",
        "result_analyst",
    ]
    step = next(step for step in played.steps if step.role == "reviewer")
    assert step.findings == [
        {"dimension": "entities", "message": "no agents; match them"},
        {"message": "odd"},
    ]
    (asked,) = played.cast.texts("corrector")
    assert "- no agents; match them\n- odd" in asked
    assert "The query has not been run yet." in asked


def test_a_rejected_result_is_corrected_and_analysed_again() -> None:
    played = reviewed(RIGHT, analyst=[DIFFERS, MATCHES])
    assert played.result.cypher == LONGER
    assert [verdict for role, verdict in played.story if role == "result_analyst"] == ["rejected", "accepted"]
    (asked,) = played.cast.texts("corrector")
    assert "- Analysis: the agents are missing\nSuggestions: return them" in asked
    # The reviewer reads the first query only.
    assert len(played.cast.texts("reviewer")) == 1


@pytest.mark.parametrize("reviewer", [ACCEPTED, REJECTED])
def test_three_corrections_end_it(reviewer: str) -> None:
    proposals = [structured(LONGER + f" LIMIT {number}") for number in (1, 2, 3, 4)]
    played = reviewed(RIGHT, reviewer=reviewer, analyst=DIFFERS, corrector=proposals)
    assert played.result.cypher == LONGER + " LIMIT 3"
    assert len(played.cast.texts("corrector")) == 3
    # The result of the last correction is not analysed: nothing could follow from it.
    assert len(played.cast.texts("result_analyst")) == (3 if reviewer == ACCEPTED else 2)


@pytest.mark.parametrize(
    "said", ["", "It looks fine.", '{"accepted": "perhaps"}', "[1, 2]", "Matches intent"]
)
def test_replies_that_cannot_be_read_change_nothing(said: str) -> None:
    played = reviewed(RIGHT, reviewer=said, analyst=said)
    assert played.result.cypher == RIGHT
    assert [verdict for role, verdict in played.story if "corrector" not in role] == [
        "made",
        "malformed",
        "ok",
        "malformed",
    ]


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
    played = reviewed(RIGHT, reviewer=REJECTED, analyst=DIFFERS, corrector=said)
    assert played.finding("corrector")["structured"] is in_form
    assert next(found for role, found in played.story if role == "corrector") == verdict
    assert played.result.cypher == (LONGER if verdict == "taken" else RIGHT)
    assert len(played.cast.texts("corrector")) == 3
    if verdict != "taken":
        assert "Your last proposal was not taken" in played.cast.texts("corrector")[1]
        # A result that stayed is not analysed again.
        assert len(played.cast.texts("result_analyst")) == 1


def test_the_roles_are_told_of_an_error_and_of_no_query() -> None:
    played = reviewed(BROKEN, analyst=[DIFFERS, MATCHES], corrector=structured(RIGHT))
    assert played.result.cypher == RIGHT
    assert "status syntax_error: " in played.cast.texts("result_analyst")[0]
    assert "(there is none)" in reviewed(None).cast.texts("reviewer")[0]


def test_the_rows_that_are_shown_are_capped() -> None:
    rows = [[number, "x" * 5_000] for number in range(5_000)]
    result = Execution("ok", columns=["id", "text"], rows=rows, row_count=5_000)
    (asked,) = reviewed(RIGHT, graph=FakeGraph(result)).cast.texts("result_analyst")
    assert "5,000 rows, the first 20 of them:" in asked
    assert asked.count("xxx") > 0
    assert len(asked) < 30_000


class Known(FakeGraph):
    """Knows one molecule, as RDKit writes it, and does not answer where it is out of time."""

    in_time: bool = True

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        if timeout_s is not None and not self.in_time:
            return Execution("timeout")
        if "molecule.name IN" in (cypher or ""):
            self.ran.append((cypher, timeout_s, row_limit))
            return Execution("ok", columns=["name"], rows=[["CCOC(C)=O"]], row_count=1)
        return super().run(cypher, timeout_s=timeout_s, row_limit=row_limit)


def test_the_reviewer_reads_what_exists() -> None:
    query = "MATCH (m:Molecule {name: 'CCX'}) WHERE type(r) = 'PRODUCES' RETURN m.name AS name"
    played = reviewed(query, graph=Known())
    (asked,) = played.cast.texts("reviewer")
    assert "Labels: Molecule, Reaction\nRelationship types: PRODUCES\n" in asked
    assert f"Molecule {TARGET}: in the graph as CCOC(C)=O\nMolecule CCX: not in the graph\n" in asked
    assert "Molecule PRODUCES" not in asked
    assert [timeout_s for _, timeout_s, _ in played.graph.ran] == [5.0, 5.0, None]


def test_what_the_graph_does_not_say_is_not_called_absent() -> None:
    graph = Known()
    graph.in_time = False
    (asked,) = reviewed(RIGHT, graph=graph).cast.texts("reviewer")
    assert "Labels: not known (timeout)" in asked
    assert f"Molecule {TARGET}: not known" in asked
    assert "not in the graph" not in asked


def test_only_so_many_names_are_looked_up() -> None:
    query = "RETURN [" + ", ".join(f"'C{number}'" for number in range(500)) + f", '{'C' * 9_000}'] AS names"
    played = reviewed(query, graph=Known())
    (asked,) = played.cast.texts("reviewer")
    assert asked.count("\nMolecule ") == 20
    assert len(next(cypher or "" for cypher, _, _ in played.graph.ran if "IN [" in (cypher or ""))) < 1_000
