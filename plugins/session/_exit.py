"""Exit status of a run."""

import pytest

INCOMPLETE = 16
_KEPT = frozenset(
    {
        pytest.ExitCode.INTERRUPTED,
        pytest.ExitCode.INTERNAL_ERROR,
        pytest.ExitCode.USAGE_ERROR,
        pytest.ExitCode.NO_TESTS_COLLECTED,
    }
)


def exit_status(
    given: int,
    unscored: bool,
    aside: bool = False,
    gate: int | None = None,
    elsewhere: bool = False,
) -> int:
    """Return the exit status: 16 where the run is incomplete, but pytest's own 2 to 5 stay.

    Args:
        given: What pytest would exit with.
        unscored: Whether a case has no scores, or was lost with its worker.
        aside: Whether a judgement or a written answer is missing. A gate says itself whether it asks for it.
        gate: What the gate calls for; None without one. It decides, however many cases failed.
        elsewhere: Whether a test failed that is no case; of that no gate knows.
    """
    if given in _KEPT:
        return int(given)
    if unscored or (aside and gate is None):
        return INCOMPLETE
    if gate is None:
        return int(given)
    return max(gate, int(elsewhere))
