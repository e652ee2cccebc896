"""Which questions may be asked of a network, and which of them tell anything."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.candidates import (
    MAXIMUM_ROUTES,
    Candidate,
    Kind,
    common_auxiliaries,
    is_synthesis_target,
    multi_step_candidates,
    single_step_candidates,
)
from retrocypher.kg.questions.gold import ReactionNetwork
from retrocypher.kg.questions.question_set import with_smaller_sets

PRECURSORS, PRODUCING, BEST = Kind("precursors"), Kind("producing_reactions"), Kind("best_yield")
TWO, BETWEEN = Kind("chains_to_target", steps=2), Kind("chains_between", steps=2)


def reaction(number: int, text: str) -> Reaction:
    """Read reactants, agents and products with one-letter names: A>K>X, or A>K>X 50 with a yield."""
    equation, _, percent = text.partition(" ")
    reactants, agents, products = map(tuple, equation.split(">"))
    yields = (float(percent),) if percent else (None,) * len(products)
    return Reaction(number, reactants, products, agents, (), yields)


def network(*texts: str) -> list[Reaction]:
    return [reaction(number, text) for number, text in enumerate(texts, 1)]


def single(reactions: Sequence[Reaction], kind: Kind) -> dict[str, bool]:
    """The targets that may be asked for, and whether they discriminate."""
    found = single_step_candidates(ReactionNetwork.of(reactions), kind, str.isupper)
    return {each.target: each.discriminating for each in found}


def multi(reactions: Sequence[Reaction], kind: Kind) -> list[Candidate]:
    return list(multi_step_candidates(ReactionNetwork.of(reactions), kind, str.isupper, seed=0))


@pytest.mark.parametrize(
    ("kind", "texts", "targets"),
    [
        # No one reaction has all precursors of X.
        (PRECURSORS, "A>>X B>>X AB>>Y A>>Y A>>Z", {"X": True, "Y": False, "Z": False}),
        (PRECURSORS, ">>X A>>X", {}),
        # The two reactions that make X differ in their agents.
        (PRODUCING, "A>K>X A>L>X A>>Y", {"X": True, "Y": False}),
        # Nobody would ask for x.
        (PRODUCING, "A>>x", {}),
        (Kind("co_products"), "A>>Xb B>>Xc A>>Yb B>>Y A>>Zb", {"X": True, "Z": False}),
    ],
)
def test_a_target_discriminates_where_its_reactions_differ(
    kind: Kind, texts: str, targets: dict[str, bool]
) -> None:
    assert single(network(*texts.split()), kind) == targets


def test_the_best_yield_must_be_known_and_unique() -> None:
    without_yield = ["A>>U", "B>>V"]
    known = ["A>>T 50", "B>>T 50.0000001", "A>>V 70", "A>>W 70", "A>>X 70", "B>>X 60", "C>>X 60"]
    assert single(network(*known, *without_yield), BEST) == {"V": True, "W": False, "X": True}


@pytest.mark.parametrize("role", ["agents", "solvents"])
def test_conditions_must_be_known_for_every_reaction(role: str) -> None:
    reactions = network("A>K>X", "A>L>X", "A>K>Y", "A>>Y", "A>K>Z", "A>KL>Z")
    if role == "solvents":
        reactions = [replace(each, agents=(), solvents=each.agents) for each in reactions]
    assert single(reactions, Kind("conditions", role=role)) == {"X": True, "Z": False}


def test_a_product_set_discriminates_where_one_product_alone_is_another_question() -> None:
    reactions = ReactionNetwork.of(network("A>>XY", "B>>Y", "C>>VW"))
    found = list(single_step_candidates(reactions, Kind("multi_product", products=2), str.isupper))
    discriminating = {tuple(each.slots["products"]): each.discriminating for each in found}
    assert discriminating == {("X", "Y"): True, ("V", "W"): False}
    # fewer reactions make X than Y, so X names the set
    assert {each.target for each in found} == {"X", "V"}


def test_missing_product_sets_are_made_up_for_by_the_next_smaller_ones() -> None:
    pairs, triples, quadruples = (Kind("multi_product", products=size) for size in (2, 3, 4))
    plan = {PRECURSORS: 200, pairs: 150, triples: 45, quadruples: 5}
    available = {PRECURSORS: 900, pairs: 600, triples: 31, quadruples: 4}
    assert list(with_smaller_sets(plan, available).values()) == [200, 165, 31, 4]
    assert with_smaller_sets(plan, dict.fromkeys(plan, 1000)) == plan


@pytest.mark.parametrize(
    ("texts", "targets"),
    [
        ("A>>B C>>B B>>X D>>E E>>Y", [("X", True), ("Y", False)]),
        # Two molecules on the way of one pair of reactions are one route.
        ("A>>BC BC>>X", [("X", False)]),
        # Intermediates must be molecules that one may ask for; what a route starts from need not.
        ("A>>b b>>X", []),
        ("a>>B B>>X", [("X", False)]),
        # A walk that comes back makes routes ambiguous, beside a simple route too.
        ("X>>B B>>X", []),
        ("AX>>B B>>X", []),
    ],
)
def test_routes_to_a_target(texts: str, targets: list[tuple[str, bool]]) -> None:
    found = [(each.target, each.discriminating) for each in multi(network(*texts.split()), TWO)]
    assert found == targets


def test_a_walk_that_uses_a_reaction_twice_makes_routes_ambiguous() -> None:
    # A and B both react in and come out of reaction 1
    reactions = network("AB>>BC", "C>>X")
    assert multi(reactions, Kind("chains_to_target", steps=3)) == []
    assert [each.target for each in multi(reactions, TWO)] == ["X"]


def test_a_target_with_too_many_routes_is_left_out() -> None:
    def fan(count: int) -> list[Reaction]:
        return network(*(f"A>{chr(number + 1000)}>B" for number in range(count)), "B>>X")

    assert [each.target for each in multi(fan(MAXIMUM_ROUTES), TWO)] == ["X"]
    assert multi(fan(MAXIMUM_ROUTES + 1), TWO) == []
    assert multi(fan(2000), TWO) == []


@pytest.mark.parametrize(
    ("texts", "asked"),
    [
        # A start with several routes, but not all, comes first.
        ("A>>B A>K>B C>>B B>>X", [("A", "X", 0, True)]),
        # Of two starts with the same routes one is asked for.
        ("AD>>B AD>K>B C>>B B>>X", [("A", "X", 0, True)]),
        ("A>>B C>>B B>>X A>>D D>>Y", [("A", "X", 1, True), ("A", "Y", 2, False)]),
    ],
)
def test_routes_between_a_start_and_a_target(texts: str, asked: list[tuple[str, str, int, bool]]) -> None:
    found = multi(network(*texts.split()), BETWEEN)
    assert [(each.slots["start"], each.target, each.tier, each.discriminating) for each in found] == asked


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("c1ccccc1C(=O)O", True),
        ("CCOC(C)=O", False),
        ("[Cl-]", False),
        ("O=S(=O)(O)OS(=O)(=O)O", False),
        ("CCCCCCCC.Cl", False),
        ("not a molecule", False),
    ],
)
def test_a_synthesis_target_is_one_organic_molecule_of_some_size(name: str, expected: bool) -> None:
    assert is_synthesis_target(name) is expected


def test_what_many_reactions_use_is_a_common_auxiliary() -> None:
    nine = [replace(each, solvents=("S",)) for each in network(*["A>K>X"] * 9)]
    assert common_auxiliaries(nine) == set()
    assert common_auxiliaries([*nine, replace(nine[0], id=10, agents=("S",))]) == {"S"}
