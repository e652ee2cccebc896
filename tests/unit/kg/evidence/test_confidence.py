"""The confidence of facts from counts, computed by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.evidence.confidence import ConfidenceModel, Counts, KindCounts, default_model, exclusive
from retrocypher.kg.evidence.evidence import FACT_KINDS, SOURCES, Source, Verdict

MODEL = ConfidenceModel(
    {
        "USES_SOLVENT": KindCounts(
            Counts(47, 27),
            {
                "other_reading": {"agrees": Counts(44, 10), "differs": Counts(3, 17)},
                "uspto_mit": {"agrees": Counts(9, 0)},
            },
        )
    }
)
verdicts = st.lists(
    st.tuples(st.sampled_from(SOURCES), st.sampled_from(("agrees", "differs"))),
    unique_by=lambda each: each[0],
)


def test_without_a_verdict_the_confidence_is_the_prior() -> None:
    assert MODEL.confidence("USES_SOLVENT", ()) == pytest.approx(48 / (48 + 28))
    # No labelled fact has a verdict of this source.
    assert MODEL.confidence("USES_SOLVENT", [("text_name", "agrees")]) == pytest.approx(48 / (48 + 28))
    # It says the same of all of them.
    for verdict in ("agrees", "differs"):
        found = MODEL.confidence("USES_SOLVENT", [("uspto_mit", verdict)])
        assert found == pytest.approx(48 / (48 + 28))


@pytest.mark.parametrize(
    ("verdict", "odds"),
    [
        ("agrees", 48 / 28 * (45 / 49) / (11 / 29)),
        ("differs", 48 / 28 * (4 / 49) / (18 / 29)),
    ],
)
def test_a_verdict_multiplies_the_odds_by_the_ratio_of_its_rates(verdict: Verdict, odds: float) -> None:
    found = MODEL.confidence("USES_SOLVENT", [("other_reading", verdict)])
    assert found == pytest.approx(odds / (1 + odds))


@given(st.sampled_from(FACT_KINDS), verdicts)
def test_a_confidence_is_a_probability_below_1(kind: str, said: list[tuple[Source, Verdict]]) -> None:
    assert 0 < default_model().confidence(kind, said) < 1  # type: ignore[arg-type]


@given(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=5))
def test_of_values_that_exclude_each_other_at_most_one_is_right(confidences: list[float]) -> None:
    found = exclusive(confidences)
    assert sum(found) < 1
    assert all(each <= alone + 1e-12 for each, alone in zip(found, confidences, strict=True))
    assert len(found) > 1 or found == pytest.approx(confidences)
