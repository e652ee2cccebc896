"""The fingerprint of reactions."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.graph.fingerprint import fingerprint_of, node_line, relationship_line
from retrocypher.kg.graph.reaction import Reaction, Source

A = Reaction(1, ("C", "O"), ("CO", "N"), ("S",), ("F",), (50.0, None))
B = Reaction(2, ("CO",), ("CN",), (), (), (None,))


@given(st.permutations([A, B, replace(A, id=3), replace(B, id=4)]))
def test_the_order_of_reactions_does_not_matter(order: list[Reaction]) -> None:
    assert fingerprint_of(order) == fingerprint_of([A, B, replace(A, id=3), replace(B, id=4)])


def test_the_order_within_a_role_and_the_source_do_not_matter() -> None:
    turned = replace(
        A, reactants=("O", "C"), products=("N", "CO"), yields=(None, 50.0), source=Source("f", 1, "C>>C")
    )
    assert fingerprint_of([turned, B]) == fingerprint_of([A, B])


@pytest.mark.parametrize(
    "changed",
    [
        replace(A, id=9),
        replace(A, reactants=("C",)),
        replace(A, reactants=("C", "OC")),
        replace(A, agents=("F",), solvents=("S",)),
        replace(A, agents=(), solvents=("S", "F")),
        replace(A, agents=("C", "S")),
        replace(A, yields=(50.000001, None)),
        replace(A, yields=(None, 50.0)),
        replace(A, yields=(None, None)),
        replace(A, yields=(50.0, 0.0)),
    ],
)
def test_any_change_of_content_matters(changed: Reaction) -> None:
    assert fingerprint_of([changed, B]) != fingerprint_of([A, B])


def test_a_whole_number_is_the_same_yield_and_a_zero_has_no_sign() -> None:
    assert fingerprint_of([replace(A, yields=(50, None))]) == fingerprint_of([A])
    assert fingerprint_of([replace(A, yields=(-0.0, None))]) == fingerprint_of(
        [replace(A, yields=(0.0, None))]
    )
    assert relationship_line("a", "R", {"x": -0.0}, "b") == relationship_line("a", "R", {"x": 0.0}, "b")
    assert node_line(["L"], {"x": -0.0}) == node_line(["L"], {"x": 0.0})
    assert node_line(["L"], {"x": 0}) != node_line(["L"], {"x": 0.0})
    assert node_line(["L"], {"x": False}) != node_line(["L"], {"x": 0.0})
