"""Gold by hand, on the example network of the paper's figure 1 and more, and the reference queries."""

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.cypher.clauses import relationship_patterns
from retrocypher.kg.cypher.edits import string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.gold import ReactionNetwork, reference_query, traverse
from retrocypher.kg.questions.question import (
    MULTI_STEP_TASKS,
    PARAPHRASE_COUNT,
    SINGLE_STEP_TASKS,
    TASKS,
    paraphrase,
    paraphrases_of,
)
from retrocypher.kg.questions.reading import load_questions

REACTIONS = (
    Reaction(1, ("A", "B"), ("C", "D"), ("K",), (), (50.0, None)),
    Reaction(2, ("E", "D", "A"), ("F",), (), ("S",), (None,)),
    Reaction(3, ("F",), ("G",), (), (), (30.0,)),
    Reaction(4, ("B",), ("D",), (), (), (80.0,)),
    Reaction(5, ("F",), ("G",), ("K",), (), (90.0,)),
)
NETWORK = ReactionNetwork.of(REACTIONS)

ODD = r"F/C=C\F'$target`\u0041"


def row(identifier: int, **more: Any) -> dict[str, Any]:
    reaction = REACTIONS[identifier - 1]
    roles = ("reactants", "products", "agents", "solvents")
    return {"id": identifier, **{role: sorted(getattr(reaction, role)) for role in roles}, **more}


@pytest.mark.parametrize(
    ("task", "slots", "gold"),
    [
        ("precursors", {"target": "D"}, [row(1), row(4)]),
        ("producing_reactions", {"target": "D"}, [row(1), row(4)]),
        ("conditions", {"target": "D", "role": "agents"}, [row(1), row(4)]),
        ("precursors", {"target": "Z"}, []),
        # The yield of the target counts; an unknown one does not.
        ("best_yield", {"target": "D"}, [row(4, target_yield=80.0)]),
        ("best_yield", {"target": "G"}, [row(5, target_yield=90.0)]),
        ("best_yield", {"target": "F"}, []),
        ("multi_product", {"products": ["D", "C"]}, [row(1)]),
        ("multi_product", {"products": ["D", "G"]}, []),
        ("co_products", {"target": "D"}, [row(1, co_products=["C"]), row(4, co_products=[])]),
    ],
)
def test_gold_of_one_step(task: str, slots: dict[str, Any], gold: list[dict[str, Any]]) -> None:
    assert traverse(NETWORK, task, slots) == gold


def test_molecules_of_a_role_are_in_alphabetical_order() -> None:
    assert traverse(NETWORK, "precursors", {"target": "F"})[0]["reactants"] == ["A", "D", "E"]


@pytest.mark.parametrize(
    ("task", "slots", "routes"),
    [
        # A and B both start reaction 1: different molecules, the same route
        ("chains_to_target", {"target": "G", "steps": 3}, [[1, 2, 3], [1, 2, 5], [4, 2, 3], [4, 2, 5]]),
        ("intermediates", {"target": "G", "steps": 2}, [[2, 3], [2, 5]]),
        ("multi_step_precursors", {"target": "G", "steps": 4}, []),
        ("chains_to_target", {"target": "Z", "steps": 2}, []),
        ("chains_between", {"start": "A", "target": "F", "steps": 2}, [[1, 2]]),
        ("chains_between", {"start": "B", "target": "F", "steps": 2}, [[1, 2], [4, 2]]),
        ("chains_between", {"start": "E", "target": "F", "steps": 2}, []),
    ],
)
def test_routes_are_sequences_of_reactions_once_each(
    task: str, slots: dict[str, Any], routes: list[list[int]]
) -> None:
    assert [each["route"] for each in traverse(NETWORK, task, slots)] == routes


def slots_of(task: str, name: str = ODD) -> dict[str, Any]:
    every = {"target": name, "start": name, "role": "agents", "steps": 3, "products": [name, "C", "CC"]}
    return {slot: every[slot] for slot in paraphrases_of(task).slots}


@pytest.mark.parametrize("task", TASKS)
def test_a_reference_is_valid_cypher_with_every_molecule_in_place(task: str) -> None:
    slots = slots_of(task)
    cypher = reference_query(task, slots)
    assert not parse(cypher).errors
    expected = [slots["start"]] if "start" in slots else []
    expected += slots.get("products", [slots.get("target")])
    assert [literal.value for literal in string_literals(cypher)] == expected
    if task in SINGLE_STEP_TASKS:
        assert all(
            f" AS {column}" in cypher for column in ("id", "reactants", "products", "agents", "solvents")
        )


@pytest.mark.parametrize("task", MULTI_STEP_TASKS)
@pytest.mark.parametrize("steps", [2, 3, 4])
def test_a_route_of_n_reactions_has_two_n_relationships(task: str, steps: int) -> None:
    cypher = reference_query(task, {**slots_of(task), "steps": steps})
    assert f"[:REACTS_IN|PRODUCES*{2 * steps}]" in cypher
    assert len(relationship_patterns(parse(cypher))) == 1


@given(name=st.text(st.characters(exclude_categories=("Cs",)), min_size=1))
def test_any_name_survives_the_way_into_a_reference(name: str) -> None:
    cypher = reference_query("precursors", {"target": name})
    assert [literal.value for literal in string_literals(cypher)] == [name]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("phrasing", range(1, PARAPHRASE_COUNT + 1))
def test_a_text_names_every_slot_once(task: str, phrasing: int) -> None:
    slots = slots_of(task, "CCO")
    slots |= {"start": "CCN"} if "start" in slots else {}
    slots |= {"products": ["CCO", "CCC", "CCCl"]} if "products" in slots else {}
    text = paraphrases_of(task).text(slots, phrasing)
    assert text == text.strip(" ,;:")
    for value in slots.values():
        for each in value if isinstance(value, list) else [value]:
            assert len(re.findall(rf"(?<!\w){each}(?!\w)", text)) == 1


def test_a_list_of_molecules_reads_as_one() -> None:
    text = paraphrases_of("multi_product").text({"products": ["CCO", "CC", "C"]})
    assert "CCO, CC and C together" in text


def test_every_task_has_all_wordings_and_none_twice() -> None:
    texts = [text for task in TASKS for text in paraphrases_of(task).texts]
    assert len(set(texts)) == len(texts) == PARAPHRASE_COUNT * len(TASKS)


def test_another_wording_than_the_questions_own_changes_the_text_alone() -> None:
    for question in load_questions().questions[::50]:
        assert paraphrase(question, 1) is question
        assert question.text == paraphrases_of(question.task).text(question.slots)
        other = paraphrase(question, 2)
        assert other.text != question.text
        assert replace(other, text=question.text) == question


@pytest.mark.parametrize("phrasing", [0, PARAPHRASE_COUNT + 1])
def test_a_wording_that_is_not_there_is_refused(phrasing: int) -> None:
    with pytest.raises(ValueError, match=f"phrasing {phrasing}"):
        paraphrase(load_questions().questions[0], phrasing)
