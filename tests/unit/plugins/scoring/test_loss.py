"""Why a query leaves out right answers, by which ones it returns on several graphs."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.graph.reaction import Reaction
from retrocypher.plugins.scoring.loss import Split, explain_loss


def reaction(
    number: int, agents: int = 1, solvents: int = 1, products: int = 1, known: float = 50
) -> Reaction:
    return Reaction(
        number,
        (f"r{number}",),
        tuple(f"p{place}" for place in range(products)),
        tuple(f"a{place}" for place in range(agents)),
        tuple(f"s{place}" for place in range(solvents)),
        (known, *[None] * (products - 1)),
    )


FEW = [
    reaction(1, known=61),
    reaction(2, agents=0, products=2, known=48),
    reaction(3, solvents=0, known=20),
    reaction(4, agents=0, solvents=0, known=9),
    reaction(5, products=3, known=88),
]
MANY = [reaction(10 + place, known=2.5 * place) for place in range(40)] + [reaction(60, 0, 0, known=99)]
ALIKE = [reaction(100 + place) for place in range(40)]


def split(reactions: Sequence[Reaction], kept: Sequence[Reaction]) -> Split:
    lost = [each for each in reactions if each not in kept]
    return Split([(each,) for each in kept], [(each,) for each in lost], reactions, len(kept), 1)


def explained(keeps: Callable[[Sequence[Reaction]], Sequence[Reaction]], *graphs: Sequence[Reaction]) -> str:
    found = explain_loss([split(each, keeps(each)) for each in graphs or (FEW, MANY)])
    assert found is not None
    return found[0]


@pytest.mark.parametrize(
    ("keeps", "label"),
    [
        (lambda each: bool(each.agents), "duplicate_or_incomplete"),
        (lambda each: bool(each.agents and each.solvents), "duplicate_or_incomplete"),
        (lambda each: not each.agents, "other"),
        (lambda each: len(each.products) == 1, "other"),
        (lambda each: (each.yields[0] or 0) > 50, "other"),
        (lambda each: (each.yields[0] or 0) < 50, "other"),
        (lambda each: each.id % 3 != 0, "other"),
    ],
)
def test_a_condition_is_told_from_a_pattern_that_demands_a_component(
    keeps: Callable[[Reaction], bool], label: str
) -> None:
    assert explained(lambda reactions: [each for each in reactions if keeps(each)]) == label


@pytest.mark.parametrize("keeps", [lambda each: each[:1], lambda each: each[-3:], lambda each: each[1:]])
def test_a_number_of_answers_that_is_the_same_everywhere_is_a_limit(
    keeps: Callable[[Sequence[Reaction]], Sequence[Reaction]],
) -> None:
    assert explained(keeps, FEW, ALIKE) == "limit"


def test_a_query_that_keeps_every_other_of_answers_that_are_alike_is_no_condition() -> None:
    assert explained(lambda each: each[::2], ALIKE, FEW) == "duplicate_or_incomplete"


def test_rows_that_come_several_times_are_cut_off_all_the_same() -> None:
    twice = [split(each, each[:count])._replace(rows=3) for each, count in ((FEW, 2), (ALIKE, 3))]
    found = explain_loss(twice)
    assert found is not None
    assert found == ("limit", "returns no more than 3 of the answers, however many there are")


def test_where_nothing_or_all_is_left_out_there_is_nothing_to_explain() -> None:
    assert explain_loss([split(FEW, FEW), split(MANY, MANY)]) is None
    assert explain_loss([split(FEW, []), split(MANY, [])]) is None
    assert explain_loss([]) is None


@given(st.sets(st.sampled_from(range(40))), st.sets(st.sampled_from(range(5))))
def test_every_loss_has_a_label(many: set[int], few: set[int]) -> None:
    splits = [split(ALIKE, [ALIKE[place] for place in many]), split(FEW, [FEW[place] for place in few])]
    found = explain_loss(splits)
    lossy = any(each.lost for each in splits) and any(each.kept for each in splits)
    assert (found is not None) == lossy
    assert found is None or found[0] in ("limit", "duplicate_or_incomplete", "other")
