"""Written answers: the verdict on them, and how the model's own list of claims compares."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec import convert, structs
from support.claims_graph import SOURCE, asking_reactions
from support.records import record_of, write_run

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.errors import GraphError
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.plugins.reporting.case_view import claim_line, verification_lines
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.replay import RunIndex
from retrocypher.plugins.runs.written_answer import (
    AnswerJudge,
    JudgeError,
    ListedClaims,
    MeasuredAnswer,
    OverallVerdict,
    RecordedClaim,
    Thresholds,
)
from retrocypher.plugins.scoring.answer_check import RecordedChecker, check_answer, in_both, listed, same
from retrocypher.plugins.scoring.verdict import judge_answer
from retrocypher.prompts.answering.writing import StatedClaims, Triple, WrittenAnswer

ETHANOL, ACID, ESTER = "CCO", "CC(=O)O", "CCOC(C)=O"


# Reaction 5 makes ethyl acetate from ethanol and acetic acid, in 80 %.
VERIFIER = Verifier(asking_reactions((Reaction(5, (ETHANOL, ACID), (ESTER,), (), (), (80.0,), SOURCE),)))
QUESTION = f"From which direct precursors is {ESTER} made?"


def check(answer: str, *triples: Triple, malformed: str | None = None) -> Any:
    stated = StatedClaims(triples, malformed=malformed)
    return check_answer(QUESTION, answer, stated, VERIFIER, Thresholds())


def test_claims_of_reader_and_model_are_compared() -> None:
    answer = f"In reaction 5, the reactants {ETHANOL} and {ACID} give the product {ESTER}."
    checked = check(
        answer,
        Triple("OCC", "REACTS_IN", 5),
        Triple(5, "PRODUCES", ESTER),
        Triple(5, "USES_SOLVENT", ACID),
        Triple("no_smiles!", "REACTS_IN", 5),
    )
    found = checked.verification
    assert found.verdict == "VERIFIED"
    assert found.model == ListedClaims(3, 1, shared=2, only_model=1, only_reader=1, support=2 / 3)
    by = {(each.predicate, each.subject): each.by for each in checked.claims}
    assert by["REACTS_IN", ETHANOL] == ["reader", "model"]
    assert by["REACTS_IN", ACID] == ["reader"]
    assert by["USES_SOLVENT", 5] == ["model"]
    lines = list(verification_lines(found))
    assert lines[0].startswith("VERIFIED, 100% of ")
    assert "the model lists 3 claims: 67% of its list supported; 2 that the reader finds too" in lines[-1]


def test_what_a_judge_measured_is_reported() -> None:
    found = check("It is 5.").verification
    failed = MeasuredAnswer(None, 0, JudgeError("timeout", "too long"))
    found.judge = AnswerJudge("j", faithfulness=MeasuredAnswer(0.5, 4), answer_relevancy=failed)
    *_, line = verification_lines(found)
    assert line == "measured by j: faithfulness 0.500 of 4, no answer relevancy (timeout)"


def test_a_model_cannot_raise_its_own_verdict() -> None:
    """The answer is false; all that its writer lists is true."""
    answer = f"In reaction 5, the reactants {ESTER} and {ACID} give the product {ETHANOL}."
    lists = [Triple(5, "PRODUCES", ESTER), Triple(ETHANOL, "REACTS_IN", 5), Triple(ACID, "REACTS_IN", 5)]
    checked = check(answer, *lists)
    assert checked.verification.verdict not in ("VERIFIED", "PARTIALLY_VERIFIED")
    assert checked.verification.model.support == 1.0
    without = check(answer, malformed="not JSON").verification
    assert structs.replace(checked.verification, model=None) == without


def test_without_a_list_there_is_nothing_to_compare() -> None:
    assert check("It is 5.", malformed="not JSON").verification.model is None
    none = check_answer(QUESTION, "No idea.", None, VERIFIER, Thresholds())
    assert (none.verification.verdict, none.verification.support) == ("UNVERIFIABLE", None)
    assert next(iter(verification_lines(none.verification))) == "UNVERIFIABLE, nothing is claimed"


def test_reactions_without_an_id_are_any_reaction() -> None:
    triples = (
        Triple("OCC", "REACTS_IN", "r1"),
        Triple("r1", "PRODUCES", ESTER),
        Triple("r1", "YIELD", 80.0, ESTER),
        Triple("r1", "LEADS_TO", 6),
        Triple(5, "LEADS_TO", 6),
    )
    own = listed(StatedClaims(triples))
    assert own.claims == (
        Claim(ETHANOL, "REACTS_IN", None),
        Claim(None, "PRODUCES", ESTER),
        Claim(None, "YIELD", 80.0, product=ESTER),
        Claim(5, "LEADS_TO", 6),
    )
    assert own.unreadable == 1


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (Claim(ETHANOL, "REACTS_IN", None, product=ESTER), Claim(ETHANOL, "REACTS_IN", None), True),
        (Claim(ETHANOL, "TAKES_PART_IN", 5), Claim(5, "USES_SOLVENT", ETHANOL), True),
        (Claim(ETHANOL, "REACTS_IN", 5), Claim(5, "USES_SOLVENT", ETHANOL), False),
        (Claim(ETHANOL, "REACTS_IN", 5), Claim(ETHANOL, "REACTS_IN", 6), False),
        (Claim(5, "YIELD", 80.0, product=ESTER), Claim(5, "YIELD", 80.0), True),
        (Claim(5, "YIELD", 80.0, product=ESTER), Claim(5, "YIELD", 80.0, product=ACID), False),
        (Claim(5, "YIELD", 80.0), Claim(5, "YIELD", 81.0), False),
        (Claim(5, "LEADS_TO", 6), Claim(5, "LEADS_TO", 6), True),
        (Claim(5, "LEADS_TO", 6), Claim(6, "LEADS_TO", 5), False),
        (Claim(5, "PRODUCES", ESTER), Claim(5, "YIELD", 80.0), False),
    ],
)
def test_what_says_the_same(one: Claim, other: Claim, equal: bool) -> None:
    assert same(one, other) is same(other, one) is equal
    assert in_both([one], [other]) == (({0}, {0}) if equal else (set(), set()))


def test_claims_are_told_in_a_line() -> None:
    fields = {"subject": None, "predicate": "YIELD", "object": 80.0, "product": ESTER}
    found = {"verdict": "CONTRADICTED", "reason": "it is 70 %", "by": ["reader", "model"]}
    evidence = [{"reaction": 5, "found": 70.0, "source": {"file": "a.parquet", "row": 3}}]
    assert claim_line(convert({**fields, **found, "evidence": evidence}, RecordedClaim)) == (
        f"CONTRADICTED: (?, YIELD, 80 of {ESTER}); it is 70 %; reaction 5 (a.parquet, row 3); "
        "by reader and model"
    )


def test_replayed_answers_have_the_verdict_of_their_record(tmp_path: Path) -> None:
    record = record_of("a", answer="It is.", claims=[], verification={"verdict": "VERIFIED", "support": 1.0})
    manifest = {"options": {"seed": 0}, "models": [], "loops": {"players": {}}}
    run = write_run(tmp_path / "run", [record, record_of("b", answer="It is.")], manifest=manifest)
    checker = RecordedChecker(RunIndex([RunLog(run)]))
    assert checker.check("a", "?", WrittenAnswer("It is.")).verification.verdict == "VERIFIED"
    for case, answer in (("a", "It is not."), ("b", "It is."), ("c", "It is.")):
        with pytest.raises(GraphError, match="no verdict on the answer"):
            checker.check(case, "?", WrittenAnswer(answer))


JUDGED = yaml.safe_load(Path(__file__).with_name("judged_answers.yaml").read_text("utf-8"))
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
    found = judge_answer(ROUTES, "Route 1: reaction 13", verifier).to_json()
    assert found["verdict"] == "PARTIALLY_VERIFIED"
    assert found["counts"] == {"SUPPORTED": 1, "UNSUPPORTED": 0, "CONTRADICTED": 0, "UNCERTAIN": 0}
    assert found["shortcomings"] == ["The question asks for 2 steps; of another number: 13."]
    assert found["claims"][0]["origin"] == "question"
