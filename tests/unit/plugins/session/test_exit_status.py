"""The exit status contract."""

import pytest

from retrocypher.plugins.session.terminal import exit_status


@pytest.mark.parametrize("gate", [None, 0, 1, 16])
@pytest.mark.parametrize("given", [0, 1])
def test_an_incomplete_run_is_16_whatever_passed_and_whatever_the_gate(given: int, gate: int | None) -> None:
    assert exit_status(given, unscored=True, gate=gate) == 16
    assert exit_status(given, unscored=True, gate=gate, elsewhere=True) == 16


@pytest.mark.parametrize("unscored", [False, True])
@pytest.mark.parametrize("given", [2, 3, 4, 5])
def test_pytests_own_statuses_stay(given: int, unscored: bool) -> None:
    assert exit_status(given, unscored=unscored) == exit_status(given, unscored=False, gate=0) == given


@pytest.mark.parametrize("given", [0, 1])
def test_a_complete_run_has_the_status_of_pytest_or_of_its_gate(given: int) -> None:
    assert exit_status(given, unscored=False) == given
    assert [exit_status(given, unscored=False, gate=gate) for gate in (0, 1)] == [0, 1]
    # A gate does not judge tests that are not cases.
    assert exit_status(1, unscored=False, gate=0, elsewhere=True) == 1


@pytest.mark.parametrize("given", [0, 1])
def test_a_run_without_judgements_or_answers_is_incomplete_unless_a_gate_needs_neither(given: int) -> None:
    assert exit_status(given, unscored=False, aside=True) == 16
    assert [exit_status(given, unscored=False, aside=True, gate=gate) for gate in (0, 1, 16)] == [0, 1, 16]
    assert exit_status(given, unscored=True, aside=True, gate=0) == 16
