"""The sentinel of questions that the graph cannot answer."""

import pytest

from retrocypher.prompts.templates.abstention import SENTINEL, addendum, says_unanswerable


@pytest.mark.parametrize(
    ("completion", "abstains"),
    [
        (SENTINEL, True),
        ("```\nCANNOT BE ANSWERED\n```", True),
        ("The graph has no prices: this question cannot  be answered.", True),
        ("<think>Perhaps it CANNOT BE ANSWERED.</think>MATCH (n) RETURN n", False),
        ("<think>It CANNOT BE ANSWERED", False),
        ("<think>No prices.</think>\nCANNOT BE ANSWERED", True),
        ("It can be answered.", False),
        ("", False),
    ],
)
def test_the_sentinel_counts_outside_of_thoughts(completion: str, abstains: bool) -> None:
    assert says_unanswerable(completion) is abstains


def test_the_addendum_asks_for_the_sentinel() -> None:
    assert addendum().endswith(SENTINEL)
