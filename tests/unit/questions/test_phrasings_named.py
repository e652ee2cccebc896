"""The wordings that an option names."""

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.sampling import PHRASINGS, phrasings_named


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (["1"], (1,)),
        (["3, 1", "2,3"], (3, 1, 2)),
        (["2", "all"], tuple(range(1, PHRASINGS + 1))),
    ],
)
def test_numbers_come_with_commas_repeated_or_all_at_once(names: list[str], numbers: tuple[int, ...]) -> None:
    assert phrasings_named(names) == numbers


@pytest.mark.parametrize(
    ("names", "message"),
    [(["0"], "--phrasing 0"), (["1,x"], "--phrasing x"), ([], "names none"), ([","], "names none")],
)
def test_what_is_no_wording_is_refused(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=rf"{message}.*choose from 1 to {PHRASINGS}, or all"):
        phrasings_named(names)
