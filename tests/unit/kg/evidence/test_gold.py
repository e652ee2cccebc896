"""How sure gold is, and gold on graphs without doubtful facts: computed by hand on small graphs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.evidence.evidence import Fact, facts_of
from retrocypher.kg.evidence.lookup import GraphEvidence, gold_confidence, gold_facts, gold_without, related
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.gold import ReactionNetwork, traverse
from retrocypher.kg.questions.question import MULTI_STEP_TASKS, Question

# A and B make T in reaction 1. Reaction 3 makes A and P; reaction 2 makes T from A with a yield.
REACTIONS = (
    Reaction(1, ("A", "B"), ("T",), ("C",), ("D",), (None,)),
    Reaction(2, ("A",), ("T", "Q"), (), ("F",), (72.5, None)),
    Reaction(3, ("Z", "Y"), ("A", "B"), ("X",), (), (None, None)),
)


def asked(task: str, **slots: object) -> Question:
    setting = "multi_step" if task in MULTI_STEP_TASKS else "single_step"
    slots = {"target": "T", **slots}
    gold = traverse(ReactionNetwork.of(REACTIONS), task, slots)
    steps = int(str(slots.get("steps", 1)))
    return Question("q", task, setting, steps, "?", slots, "RETURN 1", gold, "T", False)  # type: ignore[arg-type]


def confidence(**known: float) -> GraphEvidence:
    """Return a graph in which facts have the confidence 1, but those named KIND_REACTION_MOLECULE."""
    named = {
        Fact(int(n), kind, name): v for each, v in known.items() for kind, n, name in [each.rsplit("_", 2)]
    }  # type: ignore[arg-type]
    facts = (fact for each in REACTIONS for fact in facts_of(each))
    return GraphEvidence(
        {each.id: each for each in REACTIONS}, {fact: named.get(fact, 1.0) for fact in facts}, {}
    )


def test_gold_of_a_reaction_rests_on_all_its_relationships_and_not_on_its_yield() -> None:
    graph = confidence(USES_SOLVENT_1_D=0.5, REACTS_IN_2_A=0.8, yield_2_T=0.1)
    found = gold_confidence(graph, asked("precursors"))
    assert found is not None
    assert (found.facts, found.least, found.least_fact) == (5 + 4, 0.5, Fact(1, "USES_SOLVENT", "D"))
    assert found.whole == pytest.approx(0.4)


def test_the_best_yield_rests_on_that_yield_too() -> None:
    found = gold_confidence(confidence(yield_2_T=0.1), asked("best_yield"))
    assert found is not None
    assert (found.facts, found.least, found.least_fact) == (5, 0.1, Fact(2, "yield", "T"))


def test_a_route_rests_on_its_most_confident_links() -> None:
    graph = confidence(PRODUCES_3_A=0.5, REACTS_IN_1_B=0.9, REACTS_IN_3_Z=0.2, USES_AGENT_3_X=0.0)
    # Routes 3-1 by B (0.9) rather than by A (0.5), and 3-2, which only A can link.
    assert set(gold_facts(graph, asked("chains_to_target", steps=2))) == {
        Fact(3, "REACTS_IN", "Y"),
        Fact(3, "PRODUCES", "B"),
        Fact(1, "REACTS_IN", "B"),
        Fact(1, "PRODUCES", "T"),
        Fact(3, "PRODUCES", "A"),
        Fact(2, "REACTS_IN", "A"),
        Fact(2, "PRODUCES", "T"),
    }
    from_z = gold_confidence(graph, asked("chains_between", steps=2, start="Z"))
    assert from_z is not None
    assert from_z.least == 0.2


def test_a_question_about_reactions_of_another_graph_has_no_confidence() -> None:
    question = asked("precursors")
    question.gold.append({"id": 99, "reactants": [], "products": ["T"], "agents": [], "solvents": []})
    assert gold_confidence(confidence(), question) is None


def test_a_wrong_fact_changes_gold() -> None:
    question, graph = asked("best_yield"), confidence()
    wrong = Fact(2, "USES_SOLVENT", "F")
    (row,) = gold_without(question, related(graph, question), lambda fact: fact != wrong)
    assert row == {**question.gold[0], "solvents": []}
    assert gold_without(question, related(graph, question), lambda fact: fact.kind != "yield") == []


@given(st.sets(st.sampled_from([fact for each in REACTIONS for fact in facts_of(each)])))
@pytest.mark.parametrize(
    "task", ["precursors", "best_yield", "co_products", "chains_to_target", "intermediates"]
)
def test_gold_from_the_related_reactions_is_gold_from_the_whole_graph(task: str, wrong: set[Fact]) -> None:
    question = asked(task, steps=2) if task in MULTI_STEP_TASKS else asked(task)
    reactions = related(confidence(), question)
    whole = gold_without(question, REACTIONS, lambda fact: fact not in wrong)
    assert gold_without(question, reactions, lambda fact: fact not in wrong) == whole
