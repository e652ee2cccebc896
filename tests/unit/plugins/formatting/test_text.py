"""Text of others as a terminal shows it, amounts, sizes and durations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.plugins.formatting.text import duration, safe, sized, usd


@given(st.text())
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    shown = safe(text, None)
    assert all(character.isprintable() or character == "\n" for character in shown)
    assert shown.isascii() or not text.isascii()


def test_what_steers_a_terminal_is_shown_as_escapes() -> None:
    assert safe("MATCH (m)\n  RETURN 'é';") == "MATCH (m)\n  RETURN 'é';"
    assert safe("\x1b[2J\r\a") == r"\x1b[2J\r\x07"
    assert safe("a\u202eb") == r"a\u202eb"


def test_a_long_text_is_cut_and_says_so() -> None:
    assert safe("a" * 2_000) == "a" * 1_500 + " (2,000 characters in all)"
    assert safe("a" * 2_000, None) == "a" * 2_000


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        *((0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (28_672, "28.7 kB")),
        *((1_000_000, "1.0 MB"), (1_204_000_000, "1,204.0 MB")),
    ],
)
def test_sizes_of_files(size: int, shown: str) -> None:
    assert sized(size) == shown


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        *((1_234.5, "1,230 USD"), (123.4, "123 USD"), (12.345, "12.3 USD"), (1.5, "1.50 USD")),
        *((0.9996, "1.00 USD"), (0.41, "0.410 USD"), (0.000123456, "0.000123 USD"), (0.0, "0 USD")),
    ],
)
def test_amounts_have_three_significant_digits(amount: float, shown: str) -> None:
    assert usd(amount) == shown


def test_spans_of_time() -> None:
    spans = [0.2, 59.4, 59.6, 90.0, 3_569.0, 3_571.0, 3_600.0, 11_100.0]
    shown = ["0 s", "59 s", "1 min", "2 min", "59 min", "1 h", "1 h", "3 h 5 min"]
    assert [duration(span) for span in spans] == shown
