"""What doubt about gold does to the mean of a run."""

from collections.abc import Mapping

import pytest
from support.compared import case
from support.records import record_of

from retrocypher.kg.evidence.evidence import Fact, facts_of
from retrocypher.kg.evidence.lookup import GraphEvidence
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.analysis.gold_confidence import by_task, gold_confidences, label_noise

REACTIONS = (
    Reaction(1, ("A",), ("T",), (), ("D",), (None,)),
    Reaction(2, ("T",), ("U",), (), (), (None,)),
)
ROW = {"id": 1, "reactants": ["A"], "products": ["T"], "agents": [], "solvents": ["D"]}
MAKER = Question("m", "precursors", "single_step", 1, "?", {"target": "T"}, "RETURN 1", [ROW], "T", False)
CHAIN = Question(
    "c",
    "chains_to_target",
    "multi_step",
    2,
    "?",
    {"target": "U", "steps": 2},
    "RETURN 1",
    [{"route": [1, 2]}],
    "U",
    False,
)
QUESTIONS = {each.id: each for each in (MAKER, CHAIN)}
RIGHT = record_of(
    "right",
    of=MAKER,
    model="m",
    loop="none",
    scores={"f1": 1.0, "precision": 1.0, "recall": 1.0},
    execution={"status": "ok", "columns": list(ROW), "rows": [list(ROW.values())], "row_count": 1},
)


def graph(**doubtful: float) -> GraphEvidence:
    kinds: Mapping[str, Fact] = {
        "solvent": Fact(1, "USES_SOLVENT", "D"),
        "product": Fact(1, "PRODUCES", "T"),
        "link": Fact(2, "REACTS_IN", "T"),
    }
    known = {kinds[name]: value for name, value in doubtful.items()}
    facts = (fact for each in REACTIONS for fact in facts_of(each))
    return GraphEvidence(
        {each.id: each for each in REACTIONS}, {fact: known.get(fact, 1.0) for fact in facts}, {}
    )


@pytest.mark.parametrize(
    ("doubtful", "interval"),
    [
        ({}, (1.0, 1.0)),
        # Never there: two of the three values returned are right, and gold has no other. F1 = 4 / 5.
        ({"solvent": 0.0}, (0.8, 0.8)),
        ({"solvent": 0.5}, (0.8, 1.0)),
        # Without the product there is no gold, and the question does not count.
        ({"product": 0.5}, (1.0, 1.0)),
        # The question does not depend on it.
        ({"link": 0.0}, (1.0, 1.0)),
    ],
)
def test_the_interval_of_label_noise(doubtful: dict[str, float], interval: tuple[float, float]) -> None:
    assert label_noise([RIGHT], QUESTIONS, graph(**doubtful)) == {("m", "none"): pytest.approx(interval)}


def test_a_question_that_has_gold_in_no_draw_has_no_interval() -> None:
    assert label_noise([RIGHT], QUESTIONS, graph(product=0.0)) == {}


def test_cases_that_were_not_run_have_no_part_in_it() -> None:
    assert label_noise([case(MAKER, None)], QUESTIONS, graph()) == {}


def test_how_sure_gold_is_by_task() -> None:
    known = gold_confidences(QUESTIONS.values(), graph(solvent=0.5, product=0.8))
    single, multi, together = by_task(QUESTIONS.values(), known)
    assert (single.task, single.questions, single.sure) == ("precursors", 1, 0)
    assert (single.least, single.whole) == pytest.approx((0.5, 0.4))
    assert (multi.task, multi.sure) == ("chains_to_target", 1)
    assert (multi.least, multi.whole) == pytest.approx((0.8, 0.8))
    assert (together.task, together.questions, together.sure) == ("all", 2, 1)
    assert together.least == pytest.approx(0.65)
