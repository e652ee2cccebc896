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


@pytest.mark.parametrize("given", [0, 1])
def test_a_gate_decides_however_many_cases_failed(given: int) -> None:
    assert exit_status(given, incomplete=False, gate=0) == 0
    assert exit_status(given, incomplete=False, gate=1) == 1


def test_a_gate_knows_nothing_of_other_tests() -> None:
    assert exit_status(1, incomplete=False, gate=0, elsewhere=True) == 1


@pytest.mark.parametrize("gate", [0, 1, 16])
def test_an_incomplete_run_is_16_whatever_the_gate(gate: int) -> None:
    assert exit_status(1, incomplete=True, gate=gate, elsewhere=True) == 16


@pytest.mark.parametrize("given", [2, 3, 4, 5])
def test_pytests_own_statuses_stay_whatever_the_gate(given: int) -> None:
    assert exit_status(given, incomplete=False, gate=0) == given
