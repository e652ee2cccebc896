"""Sizes of files in words."""

import pytest

from retrocypher.plugins.formatting.text import sized


@pytest.mark.parametrize(
    ("size", "told"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (28_672, "28.7 kB"),
        (1_000_000, "1.0 MB"),
        (1_204_000_000, "1,204.0 MB"),
    ],
)
def test_the_unit_fits(size: int, told: str) -> None:
    assert sized(size) == told
