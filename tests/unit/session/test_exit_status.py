"""The exit status contract."""

import pytest

from plugins.session._exit import exit_status


@pytest.mark.parametrize("given", [0, 1])
def test_an_incomplete_run_is_16_whatever_passed(given: int) -> None:
    assert exit_status(given, incomplete=True) == 16


@pytest.mark.parametrize("given", [2, 3, 4, 5])
def test_pytests_own_statuses_stay(given: int) -> None:
    assert exit_status(given, incomplete=True) == given


@pytest.mark.parametrize("given", [0, 1, 2, 5])
def test_a_complete_run_has_pytests_status(given: int) -> None:
    assert exit_status(given, incomplete=False) == given
