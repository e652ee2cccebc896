"""Writes to the file that GitHub shows as the summary of a job."""

from collections.abc import Iterable, Mapping
from pathlib import Path

LIMIT = 1024 * 1024
"""Bytes that GitHub shows of the summary of one step; of a larger one it shows nothing."""

_VARIABLE = "GITHUB_STEP_SUMMARY"
_CUT = "\n*The rest is larger than GitHub shows; it is in the files of the run.*\n"


def job_summary_file(environment: Mapping[str, str]) -> Path | None:
    """Return the file that GitHub shows; None outside of GitHub Actions.

    Args:
        environment: The variables of the process.
    """
    return Path(environment[_VARIABLE]) if environment.get(_VARIABLE) else None


def append_job_summary(file: Path, sections: Iterable[str]) -> None:
    """Append sections to the summary of a job, as many as GitHub shows; what does not fit is left out whole.

    Args:
        file: The file that GitHub shows.
        sections: Sections in Markdown, the most important first.

    Raises:
        OSError: If it cannot be written.
    """
    room = LIMIT - (file.stat().st_size if file.exists() else 0) - len(_CUT.encode())
    text = b""
    for section in sections:
        lines = section.encode("utf-8", "backslashreplace") + b"\n"
        if len(text) + len(lines) > room:
            text += _CUT.encode() if room > 0 else b""
            break
        text += lines
    with file.open("ab") as out:
        out.write(text)
