"""Paired comparisons, their p-values and verdicts."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.plugins.statistics.intervals import Estimate, Resampler
from retrocypher.plugins.statistics.paired import (
    PairedComparison,
    Verdict,
    holm,
    non_inferiority,
    paired,
    sign_flip_p,
    verdict,
)

QUICK = Resampler(400)
SCORES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
Pairs = list[tuple[float, float, int]]
PAIRS = st.lists(st.tuples(SCORES, SCORES, st.integers(0, 11)), min_size=1, max_size=50)


def told(pairs: Pairs, **options: Any) -> PairedComparison:
    a, b, names = zip(*pairs, strict=True)
    return paired(a, b, [f"t{number}" for number in names], **{"resampler": QUICK, **options})


@given(PAIRS, st.randoms())
def test_numbers_are_those_of_the_pairs_in_any_order(pairs: Pairs, random: Any) -> None:
    found = told(pairs)
    assert told(random.sample(pairs, len(pairs))) == found
    assert found.wins == sum(b > a for a, b, _ in pairs)
    assert found.losses == sum(b < a for a, b, _ in pairs)
    assert found.wins + found.losses + found.ties == found.difference.n == len(pairs)
    assert found.difference.value == pytest.approx(found.mean_b - found.mean_a)
    difference = found.difference
    if difference.low is not None and difference.high is not None and difference.value is not None:
        assert -1 <= difference.low <= difference.value <= difference.high <= 1
    assert 0 < found.p_value <= 1


@given(PAIRS)
def test_a_run_and_itself_do_not_differ(pairs: Pairs) -> None:
    found = told([(a, a, name) for a, _, name in pairs], margin=0.0)
    assert (found.difference.value, found.p_value, found.ties) == (0, 1, len(pairs))
    assert found.detectable is None
    if found.difference.has_interval:
        assert (found.difference.low, found.difference.high) == (0, 0)
        assert found.verdict is Verdict.UNCHANGED
        assert non_inferiority(found.difference, 0.0) == "holds"
    else:
        assert found.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("pairs", range(1, 21))
def test_few_pairs_without_spread_are_no_certainty(pairs: int) -> None:
    same = told([(1.0, 1.0, number) for number in range(pairs)], margin=0.02)
    assert same.unseen == pytest.approx(1 - 0.025 ** (1 / pairs))
    assert same.verdict is (Verdict.UNCHANGED if pairs >= 5 else Verdict.INCONCLUSIVE)
    assert non_inferiority(same.difference) == ("holds" if pairs >= 5 else "inconclusive")
    # A loss or gain of all, however small, is told with what other questions may do.
    for change in (-1.0, -0.01, 0.01, 1.0):
        before = 1.0 if change < 0 else 0.0
        moved = told([(before, before + change, number) for number in range(pairs)], margin=0.02)
        assert (moved.unseen, moved.detectable) == (None, None)
        if pairs < 5:
            assert moved.verdict is Verdict.INCONCLUSIVE
        elif abs(change) == 1:
            # As the exact test says: 2 of 2^5 patterns of signs are no 5 %, 2 of 2^6 are.
            assert (moved.verdict is not Verdict.INCONCLUSIVE) == (moved.p_value < 0.05) == (pairs >= 6)
        else:
            assert moved.verdict is Verdict.INCONCLUSIVE
            assert non_inferiority(moved.difference) == "inconclusive"


def test_pairs_that_cancel_out_within_each_molecule_are_no_certainty() -> None:
    found = told([(float(number % 2), float(1 - number % 2), number // 2) for number in range(12)])
    assert (found.difference.value, found.wins, found.losses) == (0, 6, 6)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.difference.high == pytest.approx(1 - 0.025 ** (1 / 6))
    assert found.detectable is None


@given(PAIRS)
def test_the_other_way_round_everything_is_the_other_way_round(pairs: Pairs) -> None:
    there, back = told(pairs), told([(b, a, name) for a, b, name in pairs])
    assert (back.wins, back.losses, back.ties) == (there.losses, there.wins, there.ties)
    assert back.p_value == there.p_value
    assert back.difference.value == pytest.approx(-there.difference.value)  # type: ignore[operator]
    turned = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
    assert back.verdict == turned.get(there.verdict, there.verdict)
    if there.difference.low is not None and there.difference.high is not None:
        expected = (-there.difference.high, -there.difference.low)
        assert (back.difference.low, back.difference.high) == pytest.approx(expected)


@given(PAIRS, st.sampled_from([0.25, 0.5, -0.25]))
def test_what_both_gain_is_no_difference(pairs: Pairs, gain: float) -> None:
    moved = told([(a + gain, b + gain, name) for a, b, name in pairs])
    still = told(pairs)
    assert moved.difference == still.difference
    assert (moved.p_value, moved.wins, moved.losses) == (still.p_value, still.wins, still.losses)


def test_pairs_are_wanted() -> None:
    with pytest.raises(ValueError, match="0, 0, 0"):
        paired([], [], [])
    with pytest.raises(ValueError, match="2, 1, 2"):
        paired([1, 0], [1], ["a", "b"])


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.3, 1.0]), min_size=1, max_size=8))
def test_the_exact_p_value_is_the_share_of_all_patterns(sums: list[float]) -> None:
    reached = [
        abs(sum(sign * each for sign, each in zip(signs, sums, strict=True))) >= abs(sum(sums)) - 1e-9
        for signs in product((-1, 1), repeat=len(sums))
    ]
    assert sign_flip_p(np.array(sums)) == pytest.approx(np.mean(reached))
    # Six that all gain: of 64 ways to turn signs, two are as far from 0.
    assert sign_flip_p(np.ones(6)) == 2 / 64


def test_drawn_p_values_are_near_the_exact_ones_never_0_and_repeat_by_seed() -> None:
    sums = np.array([1.0] * 12 + [-1.0] * 3)
    # 15 coins: both tails with at most three of one side.
    exact = 2 * (1 + 15 + 105 + 455) / 2**15
    assert sign_flip_p(sums) == pytest.approx(exact, abs=0.006)
    assert sign_flip_p(sums, seed=3) == sign_flip_p(sums, seed=3)
    assert sign_flip_p(np.ones(200)) == 1 / 10_000


P_VALUES = st.lists(st.floats(0, 1), max_size=20)


@given(P_VALUES)
def test_corrected_p_values_are_larger_and_in_the_same_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(0 <= raw <= after <= 1 for raw, after in zip(p_values, corrected, strict=True))
    by_raw = [after for _, after in sorted(zip(p_values, corrected, strict=True))]
    assert by_raw == sorted(by_raw)
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    if p_values:
        assert min(corrected) == min(1, len(p_values) * min(p_values))


@pytest.mark.parametrize(
    ("low", "high", "found", "held"),
    [
        (0.001, 0.01, Verdict.IMPROVED, "holds"),  # within the margin, and sure
        (0.0, 0.02, Verdict.UNCHANGED, "holds"),
        (-0.019, 0.02, Verdict.UNCHANGED, "holds"),
        (-0.02, 0.02, Verdict.UNCHANGED, "inconclusive"),
        (-0.015, 0.03, Verdict.INCONCLUSIVE, "holds"),
        (-0.03, 0.03, Verdict.INCONCLUSIVE, "inconclusive"),
        (-0.015, -0.001, Verdict.REGRESSED, "holds"),  # surely a loss, surely a small one
        (-0.03, -0.01, Verdict.REGRESSED, "inconclusive"),
        (-0.05, -0.03, Verdict.REGRESSED, "regressed"),
        (None, None, Verdict.INCONCLUSIVE, "inconclusive"),
    ],
)
def test_a_verdict_is_the_first_that_fits(
    low: float | None, high: float | None, found: Verdict, held: str
) -> None:
    difference = Estimate(0.0, low, high, 100, 50)
    assert verdict(difference, 0.02) is found
    assert non_inferiority(difference, 0.02) == held
    assert non_inferiority(Estimate(0.0, -0.01, 0.0, 100, 50), 0.0) == "inconclusive"
