"""The exit status contract."""

import pytest

from retrocypher.plugins.session.terminal import exit_status


@pytest.mark.parametrize("given", [0, 1])
def test_an_incomplete_run_is_16_whatever_passed(given: int) -> None:
    assert exit_status(given, unscored=True) == 16


@pytest.mark.parametrize("given", [2, 3, 4, 5])
def test_pytests_own_statuses_stay(given: int) -> None:
    assert exit_status(given, unscored=True) == given


@pytest.mark.parametrize("given", [0, 1, 2, 5])
def test_a_complete_run_has_pytests_status(given: int) -> None:
    assert exit_status(given, unscored=False) == given


@pytest.mark.parametrize("given", [0, 1])
def test_a_gate_decides_however_many_cases_failed(given: int) -> None:
    assert exit_status(given, unscored=False, gate=0) == 0
    assert exit_status(given, unscored=False, gate=1) == 1


def test_a_gate_knows_nothing_of_other_tests() -> None:
    assert exit_status(1, unscored=False, gate=0, elsewhere=True) == 1


@pytest.mark.parametrize("gate", [0, 1, 16])
def test_an_incomplete_run_is_16_whatever_the_gate(gate: int) -> None:
    assert exit_status(1, unscored=True, gate=gate, elsewhere=True) == 16


@pytest.mark.parametrize("given", [2, 3, 4, 5])
def test_pytests_own_statuses_stay_whatever_the_gate(given: int) -> None:
    assert exit_status(given, unscored=False, gate=0) == given


@pytest.mark.parametrize("given", [0, 1])
def test_what_lacks_judgements_or_answers_is_incomplete_unless_a_gate_asks_for_neither(given: int) -> None:
    assert exit_status(given, unscored=False, aside=True) == 16
    for gate in (0, 1, 16):
        assert exit_status(given, unscored=False, aside=True, gate=gate) == gate
    assert exit_status(given, unscored=True, aside=True, gate=0) == 16
