"""Answers judged with their questions."""

import pytest
from support.claims_graph import asking_reactions

from retrocypher.kg.claims.verification import Verifier
from retrocypher.plugins.scoring.verdict import Overall, Thresholds, judge_answer

ACID, WATER = "CC(=O)O", "O"
PRECURSORS = f"From which direct precursors is {ACID} made?"
REACTIONS = f"Which reactions give {ACID} directly as a product?"
BEST = f"Which of the reactions that make {ACID} directly has the best yield?"
ROUTES = f"Which multi-step reaction chains lead to {ACID} in exactly 2 reaction steps?"
BETWEEN = f"Which reaction pathways turn CCO into {ACID} in exactly 2 reaction steps?"
SOLVENTS = f"Which solvents are used in the reactions that make {ACID} directly?"
BESIDES = "When a reaction makes CC=O directly, which co-products form along with it?"


@pytest.fixture
def verifier() -> Verifier:
    return Verifier(asking_reactions())


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        (PRECURSORS, f"Reaction 13: CC=O + OO -> {ACID}", "VERIFIED"),
        (PRECURSORS, "CC=O, OO and CC#N", "VERIFIED"),
        (PRECURSORS, "The precursors are CCO and CC#N.", "UNVERIFIABLE"),
        (PRECURSORS, "Reaction 12: CCO -> CC=O", "UNVERIFIABLE"),
        (PRECURSORS, "Reaction 14 uses Cl as an agent.", "PARTIALLY_VERIFIED"),
        (PRECURSORS, "I do not know.", "UNVERIFIABLE"),
        (PRECURSORS, "", "UNVERIFIABLE"),
        (REACTIONS, "Reactions 13 and 14.", "VERIFIED"),
        (REACTIONS, "Reactions 12, 13 and 14.", "UNVERIFIABLE"),
        # A molecule of the right reactions is no reaction.
        (REACTIONS, "CC=O", "PARTIALLY_VERIFIED"),
        (REACTIONS, f"Reaction 13 reacts {ACID} to CC=O.", "REFUTED"),
        (BEST, "Reaction 14, with 90 %.", "VERIFIED"),
        (BEST, "Reaction 13, with 60 %.", "REFUTED"),
        (BEST, "Reaction 14 is the best with 90 %, reaction 13 gives 60 %.", "VERIFIED"),
        (BEST, "Reaction 14, with 90.4 %.", "UNVERIFIABLE"),
        (ROUTES, "12 → 13", "VERIFIED"),
        (ROUTES, "Route 1: reaction 13", "PARTIALLY_VERIFIED"),
        (ROUTES, "12 → 14", "UNVERIFIABLE"),
        (BETWEEN, "Reaction 12, then reaction 13.", "VERIFIED"),
        (BETWEEN, "Reaction 13, then reaction 12.", "REFUTED"),
        (SOLVENTS, f"Solvents: {WATER} (reactions 13 and 14)", "VERIFIED"),
        (SOLVENTS, WATER, "VERIFIED"),
        (SOLVENTS, "Reaction 14 has the agent Cl.", "PARTIALLY_VERIFIED"),
        (BESIDES, "Next to CC=O, O forms in reaction 12.", "VERIFIED"),
        (BESIDES, "OO", "UNVERIFIABLE"),
        # What cannot be placed may be false.
        (REACTIONS, "Reactions 13 and 14, as in 1729.", "PARTIALLY_VERIFIED"),
        (REACTIONS, "Reactions 13 and 14. 57: CCO → CC=O", "UNVERIFIABLE"),
        (REACTIONS, f"<b>1729</b>: CC=O + OO → {ACID}", "UNVERIFIABLE"),
        (REACTIONS, f"Reaction 13 (42.3) makes {ACID}.", "PARTIALLY_VERIFIED"),
        (REACTIONS, "Reaction 13: Edukt CC=O", "PARTIALLY_VERIFIED"),
        (REACTIONS, f"Reaction 13 makes {ACID} from ethanol.", "PARTIALLY_VERIFIED"),
        (REACTIONS, "Ethanol and acetaldehyde.", "UNVERIFIABLE"),
        (PRECURSORS, f"Reaction 13: CC=O.OO>O>{ACID}", "VERIFIED"),
        (PRECURSORS, f"Reaction 13: CC=O.O>OO>{ACID}", "REFUTED"),
        (BEST, "Reaction 14, with a yield of 0.90.", "VERIFIED"),
        (BEST, "Reaction 14 makes it with a yield of 0.61.", "REFUTED"),
        (BEST, "Reaction 14 is not the best.", "REFUTED"),
        (BEST, "Reaction 14 is not the worst.", "REFUTED"),
        (BEST, "Reaction 13 is not the best.", "PARTIALLY_VERIFIED"),
        (BEST, "Reaction 14 is the best, and reaction 13 the worst.", "VERIFIED"),
        ("What is the weather like?", "Reaction 12 turns CCO into CC=O.", "VERIFIED"),
        ("", "Reaction 12 turns CCO into CC=O in 20 % yield.", "REFUTED"),
        (PRECURSORS, f"Reaction 13: CC=O + OO -> {ACID}; also C1CC(=O is used.", "PARTIALLY_VERIFIED"),
    ],
)
def test_an_answer(verifier: Verifier, question: str, answer: str, verdict: Overall) -> None:
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
