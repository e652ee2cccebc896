"""Gold by hand, on the example network of the paper's figure 1 with some reactions added."""

from typing import Any

import pytest

from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.authoring.gold import ReactionNetwork, traverse

REACTIONS = (
    Reaction(1, ("A", "B"), ("C", "D"), ("K",), (), (50.0, None)),
    Reaction(2, ("E", "D", "A"), ("F",), (), ("S",), (None,)),
    Reaction(3, ("F",), ("G",), (), (), (30.0,)),
    Reaction(4, ("B",), ("D",), (), (), (80.0,)),
    Reaction(5, ("F",), ("G",), ("K",), (), (90.0,)),
)
NETWORK = ReactionNetwork.of(REACTIONS)


def row(identifier: int, **more: Any) -> dict[str, Any]:
    reaction = REACTIONS[identifier - 1]
    roles = ("reactants", "products", "agents", "solvents")
    return {"id": identifier, **{role: sorted(getattr(reaction, role)) for role in roles}, **more}


@pytest.mark.parametrize("task", ["precursors", "producing_reactions", "conditions"])
def test_every_reaction_that_makes_the_target_is_gold(task: str) -> None:
    assert traverse(NETWORK, task, {"target": "D", "role": "agents"}) == [row(1), row(4)]


def test_molecules_of_a_role_are_in_alphabetical_order() -> None:
    assert traverse(NETWORK, "precursors", {"target": "F"})[0]["reactants"] == ["A", "D", "E"]


def test_the_best_yield_is_that_of_the_target_and_unknown_yields_do_not_count() -> None:
    assert traverse(NETWORK, "best_yield", {"target": "D"}) == [row(4, target_yield=80.0)]
    assert traverse(NETWORK, "best_yield", {"target": "G"}) == [row(5, target_yield=90.0)]
    assert traverse(NETWORK, "best_yield", {"target": "F"}) == []


def test_all_products_of_a_set_must_be_made_at_once() -> None:
    assert traverse(NETWORK, "multi_product", {"products": ["D", "C"]}) == [row(1)]
    assert traverse(NETWORK, "multi_product", {"products": ["D", "G"]}) == []


def test_the_target_is_not_its_own_co_product() -> None:
    gold = traverse(NETWORK, "co_products", {"target": "D"})
    assert gold == [row(1, co_products=["C"]), row(4, co_products=[])]


@pytest.mark.parametrize("task", ["chains_to_target", "intermediates", "multi_step_precursors"])
def test_routes_to_a_target_are_sequences_of_reactions_once_each(task: str) -> None:
    def routes(steps: int) -> list[list[int]]:
        return [each["route"] for each in traverse(NETWORK, task, {"target": "G", "steps": steps})]

    # A and B both start reaction 1: different molecules, the same route
    assert routes(3) == [[1, 2, 3], [1, 2, 5], [4, 2, 3], [4, 2, 5]]
    assert routes(2) == [[2, 3], [2, 5]]
    assert routes(4) == []


def test_routes_between_molecules_begin_at_the_start() -> None:
    def routes(start: str) -> list[list[int]]:
        slots = {"start": start, "target": "F", "steps": 2}
        return [each["route"] for each in traverse(NETWORK, "chains_between", slots)]

    assert routes("A") == [[1, 2]]
    assert routes("B") == [[1, 2], [4, 2]]
    assert routes("E") == []


def test_an_unknown_molecule_has_no_gold() -> None:
    assert traverse(NETWORK, "precursors", {"target": "Z"}) == []
    assert traverse(NETWORK, "chains_to_target", {"target": "Z", "steps": 2}) == []
