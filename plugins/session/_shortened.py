"""A failed case as pytest shows it: its text once, its first line where pytest wants one."""

from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback


def shortened(text: str, location: tuple[str, int | None, str]) -> ReprExceptionInfo:
    """Shape a case's text as a failure.

    A plain string would do for the terminal, but pytest takes it whole for its short summary on a CI service
    and for the message of a JUnit file; of this it takes the first line, and it survives xdist's transport.

    Args:
        text: What a failed case says, its verdict on the first line.
        location: Where the test is, as on its report: file, line from 0, name.
    """
    path, line, _ = location
    return ReprExceptionInfo(
        reprtraceback=ReprTraceback([ReprEntryNative([f"{text}\n"])], extraline=None, style="native"),
        reprcrash=ReprFileLocation(path, (line or 0) + 1, text.split("\n", 1)[0]),
    )
