"""Which questions may be asked of a network, and which of them tell anything."""

from collections.abc import Sequence

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

TWO = Kind("chains_to_target", steps=2)

BETWEEN = Kind("chains_between", steps=2)


def made(
    identifier: int,
    reactants: str,
    products: str,
    agents: str = "",
    solvents: str = "",
    yields: Sequence[float | None] | None = None,
) -> Reaction:
    """A reaction of molecules with one-letter names."""
    known = tuple(yields) if yields else (None,) * len(products)
    return Reaction(identifier, tuple(reactants), tuple(products), tuple(agents), tuple(solvents), known)


def single(reactions: Sequence[Reaction], kind: Kind) -> dict[str, bool]:
    """The targets that may be asked for, and whether they discriminate."""
    found = single_step_candidates(ReactionNetwork.of(reactions), kind, str.isupper)
    return {each.target: each.discriminating for each in found}


def multi(reactions: Sequence[Reaction], kind: Kind) -> list[Candidate]:
    return list(multi_step_candidates(ReactionNetwork.of(reactions), kind, str.isupper, seed=0))


def test_precursors_discriminate_where_no_one_reaction_has_them_all() -> None:
    reactions = [
        made(1, "A", "X"),
        made(2, "B", "X"),
        made(3, "AB", "Y"),
        made(4, "A", "Y"),
        made(5, "A", "Z"),
    ]
    assert single(reactions, Kind("precursors")) == {"X": True, "Y": False, "Z": False}


def test_a_reaction_without_reactants_makes_precursors_ambiguous() -> None:
    assert single([made(1, "", "X"), made(2, "A", "X")], Kind("precursors")) == {}


def test_producing_reactions_discriminate_by_any_role() -> None:
    reactions = [made(1, "A", "X", agents="K"), made(2, "A", "X", agents="L"), made(3, "A", "Y")]
    assert single(reactions, Kind("producing_reactions")) == {"X": True, "Y": False}


def test_molecules_that_nobody_would_ask_for_are_no_targets() -> None:
    assert single([made(1, "A", "x")], Kind("producing_reactions")) == {}


def test_the_best_yield_must_be_known_and_unique() -> None:
    reactions = [
        made(1, "A", "T", yields=[50]),
        made(2, "B", "T", yields=[50.0000001]),
        made(3, "A", "U", yields=[None]),
        made(4, "A", "V", yields=[70]),
        made(5, "B", "V"),
        made(6, "A", "W", yields=[70]),
        made(7, "A", "X", yields=[70]),
        made(8, "B", "X", yields=[60]),
        made(9, "C", "X", yields=[60]),
    ]
    assert single(reactions, Kind("best_yield")) == {"V": True, "W": False, "X": True}


def test_co_products_must_form_in_every_reaction() -> None:
    reactions = [
        made(1, "A", "Xb"),
        made(2, "B", "Xc"),
        made(3, "A", "Yb"),
        made(4, "B", "Y"),
        made(5, "A", "Zb"),
    ]
    assert single(reactions, Kind("co_products")) == {"X": True, "Z": False}


@pytest.mark.parametrize("role", ["agents", "solvents"])
def test_conditions_must_be_known_for_every_reaction(role: str) -> None:
    def with_role(identifier: int, product: str, names: str) -> Reaction:
        return made(identifier, "A", product, **{role: names})

    reactions = [
        with_role(1, "X", "K"),
        with_role(2, "X", "L"),
        with_role(3, "Y", "K"),
        with_role(4, "Y", ""),
        with_role(5, "Z", "K"),
        with_role(6, "Z", "KL"),
    ]
    assert single(reactions, Kind("conditions", role=role)) == {"X": True, "Z": False}


def test_a_product_set_discriminates_where_one_product_alone_is_another_question() -> None:
    reactions = [made(1, "A", "XY"), made(2, "B", "Y"), made(3, "C", "VW")]
    found = list(
        single_step_candidates(ReactionNetwork.of(reactions), Kind("multi_product", products=2), str.isupper)
    )
    assert {tuple(each.slots["products"]): each.discriminating for each in found} == {
        ("X", "Y"): True,
        ("V", "W"): False,
    }
    # fewer reactions make X than Y, so X names the set
    assert {each.target for each in found} == {"X", "V"}


def test_missing_product_sets_are_made_up_for_by_the_next_smaller_ones() -> None:
    pairs, triples, quadruples = (Kind("multi_product", products=size) for size in (2, 3, 4))
    plan = {Kind("precursors"): 200, pairs: 150, triples: 45, quadruples: 5}
    available = {Kind("precursors"): 900, pairs: 600, triples: 31, quadruples: 4}
    assert list(with_smaller_sets(plan, available).values()) == [200, 165, 31, 4]
    assert with_smaller_sets(plan, dict.fromkeys(plan, 1000)) == plan


def test_several_routes_discriminate() -> None:
    reactions = [
        made(1, "A", "B"),
        made(2, "C", "B"),
        made(3, "B", "X"),
        made(4, "D", "E"),
        made(5, "E", "Y"),
    ]
    assert {each.target: each.discriminating for each in multi(reactions, TWO)} == {"X": True, "Y": False}


def test_two_molecules_on_the_way_of_one_pair_of_reactions_are_one_route() -> None:
    reactions = [made(1, "A", "BC"), made(2, "BC", "X")]
    assert [(each.target, each.discriminating) for each in multi(reactions, TWO)] == [("X", False)]


@pytest.mark.parametrize(
    "reactions",
    [
        [made(1, "X", "B"), made(2, "B", "X")],
        [made(1, "AX", "B"), made(2, "B", "X")],
    ],
    ids=["circle", "circle beside a simple route"],
)
def test_a_walk_that_comes_back_makes_routes_ambiguous(reactions: list[Reaction]) -> None:
    assert "X" not in {each.target for each in multi(reactions, TWO)}


def test_a_walk_that_uses_a_reaction_twice_makes_routes_ambiguous() -> None:
    # A and B both react in and come out of reaction 1
    reactions = [made(1, "AB", "BC"), made(2, "C", "X")]
    assert multi(reactions, Kind("chains_to_target", steps=3)) == []
    assert [each.target for each in multi(reactions, TWO)] == ["X"]


def test_a_target_with_too_many_routes_is_left_out() -> None:
    def fan(count: int) -> list[Reaction]:
        return [
            *(made(number, "A", "B", agents=chr(number + 1000)) for number in range(1, count + 1)),
            made(count + 1, "B", "X"),
        ]

    assert [each.target for each in multi(fan(MAXIMUM_ROUTES), TWO)] == ["X"]
    assert multi(fan(MAXIMUM_ROUTES + 1), TWO) == []
    assert multi(fan(2000), TWO) == []


def test_intermediates_must_be_molecules_that_one_may_ask_for() -> None:
    assert multi([made(1, "A", "b"), made(2, "b", "X")], TWO) == []
    assert len(multi([made(1, "a", "B"), made(2, "B", "X")], TWO)) == 1


def test_a_start_with_several_routes_but_not_all_comes_first() -> None:
    reactions = [made(1, "A", "B"), made(2, "A", "B", agents="K"), made(3, "C", "B"), made(4, "B", "X")]
    found = multi(reactions, BETWEEN)
    assert [(each.slots["start"], each.tier, each.discriminating) for each in found] == [("A", 0, True)]


def test_of_starts_with_the_same_routes_one_is_asked_for() -> None:
    reactions = [made(1, "AD", "B"), made(2, "AD", "B", agents="K"), made(3, "C", "B"), made(4, "B", "X")]
    assert len(multi(reactions, BETWEEN)) == 1


def test_a_start_discriminates_where_the_target_has_another_route() -> None:
    reactions = [
        made(1, "A", "B"),
        made(2, "C", "B"),
        made(3, "B", "X"),
        made(4, "A", "D"),
        made(5, "D", "Y"),
    ]
    found = multi(reactions, BETWEEN)
    assert [(each.target, each.tier, each.discriminating) for each in found] == [
        ("X", 1, True),
        ("Y", 2, False),
    ]


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
    reactions = [made(number, "A", "X", agents="K", solvents="S") for number in range(9)]
    assert common_auxiliaries(reactions) == set()
    assert common_auxiliaries([*reactions, made(9, "A", "X", agents="S", solvents="S")]) == {"S"}
