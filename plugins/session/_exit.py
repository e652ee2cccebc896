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


def exit_status(given: int, incomplete: bool) -> int:
    """Return the exit status: 16 where the run is incomplete, but pytest's own 2 to 5 stay.

    Args:
        given: What pytest would exit with.
        incomplete: Whether a case had an infrastructure error, or was lost with its worker.
    """
    return INCOMPLETE if incomplete and given not in _KEPT else int(given)
