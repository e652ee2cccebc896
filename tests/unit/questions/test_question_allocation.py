from collections import Counter
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.questions.authoring.candidates import Candidate, Kind
from retrocypher.kg.questions.authoring.question_set import allocate

KINDS = (Kind("precursors"), Kind("best_yield"), Kind("conditions", role="agents"))


@st.composite
def problems(draw: st.DrawFn) -> tuple[dict[Kind, list[Candidate]], dict[Kind, int]]:
    candidates = {}
    counts = {}
    for kind in KINDS:
        pairs = draw(st.lists(st.tuples(st.sampled_from("ABCDE"), st.integers(0, 1)), min_size=1, max_size=5))
        candidates[kind] = [Candidate(kind, {}, target, tier, tier == 0) for target, tier in pairs]
        counts[kind] = draw(st.integers(1, len(pairs)))
    return candidates, counts


def cost(chosen: list[Candidate]) -> int:
    return sum(count**2 for count in Counter(each.target for each in chosen).values())


def tiers(chosen: list[Candidate]) -> list[int]:
    return sorted(each.tier for each in chosen)


@given(problems())
def test_tiers_are_used_up_in_order_and_no_choice_shares_targets_less(
    problem: tuple[dict[Kind, list[Candidate]], dict[Kind, int]],
) -> None:
    candidates, counts = problem
    chosen = allocate(candidates, counts)
    options = []
    for kind in KINDS:
        best = sorted(each.tier for each in candidates[kind])[: counts[kind]]
        assert tiers(chosen[kind]) == best
        assert len(set(map(id, chosen[kind]))) == counts[kind]
        options.append(
            [pick for pick in combinations(candidates[kind], counts[kind]) if tiers(list(pick)) == best]
        )
    least = min(cost([each for pick in picks for each in pick]) for picks in product(*options))
    assert cost([each for kind in KINDS for each in chosen[kind]]) == least


def test_a_chain_of_exchanges_is_found() -> None:
    first, second, _ = KINDS
    candidates = {
        first: [Candidate(first, {}, "A", 0, True)],
        second: [Candidate(second, {}, "A", 0, True), Candidate(second, {}, "B", 0, True)],
    }
    chosen = allocate(candidates, {first: 1, second: 1})
    assert [each.target for each in chosen[second]] == ["B"]
