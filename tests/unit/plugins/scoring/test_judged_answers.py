"""Answers judged with their questions."""

from pathlib import Path

import pytest
import yaml
from support.claims_graph import asking_reactions

from retrocypher.kg.claims.verification import Verifier
from retrocypher.plugins.runs.written_answer import OverallVerdict, Thresholds
from retrocypher.plugins.scoring.verdict import judge_answer

JUDGED = yaml.safe_load(Path(__file__).with_name("judged_answers.yaml").read_text("utf-8"))
ACID = "CC(=O)O"
PRECURSORS = f"From which direct precursors is {ACID} made?"
REACTIONS = f"Which reactions give {ACID} directly as a product?"
ROUTES = f"Which multi-step reaction chains lead to {ACID} in exactly 2 reaction steps?"


@pytest.fixture
def verifier() -> Verifier:
    return Verifier(asking_reactions())


@pytest.mark.parametrize(
    ("question", "verdict", "answer"),
    [(question, *judged) for question, answers in JUDGED.items() for judged in answers],
)
def test_an_answer(verifier: Verifier, question: str, verdict: OverallVerdict, answer: str) -> None:
    assert judge_answer(question, answer, verifier).verdict == verdict


def test_an_answer_in_names_is_said_to_have_nothing_to_look_up(verifier: Verifier) -> None:
    found = judge_answer(PRECURSORS, "It is made from acetaldehyde.", verifier)
    assert found.support is None
    assert found.shortcomings[0].startswith("Nothing can be looked up")
    assert found.shortcomings[1].endswith("acetaldehyde.")


def test_molecules_outside_the_reactions_asked_for(verifier: Verifier) -> None:
    asked = f"Which intermediate molecules occur on the way to {ACID} made in exactly 2 reaction steps?"
    found = judge_answer(asked, "The intermediate is CC=O.", verifier)
    assert found.verdict == "PARTIALLY_VERIFIED"
    # A molecule that the graph does not know is in none of its reactions.
    lenient = Thresholds(verified=0.5)
    assert judge_answer(PRECURSORS, "CC=O, OO and CC#N", verifier, lenient).verdict == "VERIFIED"
    assert judge_answer(PRECURSORS, "CC=O, OO and CCC#N", verifier, lenient).verdict != "VERIFIED"


def test_one_false_claim_among_many_is_enough(verifier: Verifier) -> None:
    answer = (
        f"Reaction 13: CC=O + OO -> {ACID} in O. Reaction 14: CC#N -> {ACID}; agent Cl; solvents O, ClCCl."
    )
    found = judge_answer(REACTIONS, answer, verifier)
    assert found.verdict == "PARTIALLY_VERIFIED"
    assert found.support == pytest.approx(8 / 9)
    lenient = Thresholds(verified=0.8, false_claims=1)
    assert judge_answer(REACTIONS, answer, verifier, lenient).verdict == "VERIFIED"


def test_a_verdict_as_json(verifier: Verifier) -> None:
    told = judge_answer(ROUTES, "Route 1: reaction 13", verifier).to_json()
    assert told["verdict"] == "PARTIALLY_VERIFIED"
    assert told["counts"] == {"SUPPORTED": 1, "UNSUPPORTED": 0, "CONTRADICTED": 0, "UNCERTAIN": 0}
    assert told["shortcomings"] == ["The question asks for 2 steps; of another number: 13."]
    assert told["claims"][0]["origin"] == "question"
