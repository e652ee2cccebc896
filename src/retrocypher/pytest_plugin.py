"""The pytest plugin of RetroCypher: name it in a `conftest.py`, or with `-p retrocypher.pytest_plugin`."""

import sys
from types import TracebackType

import pytest

_show = sys.excepthook


def _without_traceback(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
    else:
        _show(kind, error, traceback)


# pytest itself handles Ctrl-C only when all plugins are imported.
sys.excepthook = _without_traceback


@pytest.hookimpl(tryfirst=True)
def pytest_keyboard_interrupt(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Remove the places that have no line number: pytest's report of an interrupt fails on them."""
    place = excinfo.tb
    while following := place.tb_next:
        # Python gives None for an instruction that the compiler added.
        line: int | None = following.tb_lineno
        if line is None:
            place.tb_next = following.tb_next
        else:
            place = following


pytest_plugins = (
    "retrocypher.plugins.pytest_plugin",
    "retrocypher.fixtures.case",
    "retrocypher.fixtures.resources",
)
