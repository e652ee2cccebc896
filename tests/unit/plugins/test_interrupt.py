"""Ctrl-C at any instruction ends a session with pytest's status for an interrupt."""

import pytest

INTERRUPTED_WITHOUT_A_LINE = """
    def interrupted():
        raise KeyboardInterrupt

    # In Python's table of lines, 0xF8 says that one instruction has no line.
    table = bytes([0xF8]) * (len(interrupted.__code__.co_code) // 2)
    interrupted.__code__ = interrupted.__code__.replace(co_linetable=table)

    def test_interrupted():
        interrupted()
"""


def test_an_interrupt_at_an_instruction_without_a_line(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("from retrocypher.pytest_plugin import pytest_keyboard_interrupt")
    pytester.makepyfile(INTERRUPTED_WITHOUT_A_LINE)

    result = pytester.runpytest_subprocess()

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*no tests ran*"])
    assert "Traceback" not in result.stderr.str()
