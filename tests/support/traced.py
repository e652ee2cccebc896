"""A pytest plugin that notes which files of the project one case passes, in the order of their calls."""

import json
import os
import sys
from collections.abc import Generator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

PACKAGE = "/retrocypher/"
TRACED = 3
"""Which case of a session is traced; what is loaded once per process is loaded by then."""
PARTS = [("fixtures/case.py", "ask"), ("plugins/session/worker.py", "annotate")]
"""The functions of a case in a worker: one takes the question, the other sends the record."""
STEPS = "plugins/session/run_case.py"
"""The module with the steps of a case."""


class Trace:
    """What is called within the functions of `PARTS`.

    Attributes:
        files: The files of the project, in the order in which they are entered first.
        packages: The packages of the functions that the module of `STEPS` calls, one entry per call.
    """

    def __init__(self) -> None:
        self.files: list[str] = []
        self.packages: list[str] = []
        self._part: FrameType | None = None

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame is self._part:
            self._part = None
        file = project_file(frame)
        if event != "call" or file is None:
            return
        # Reports of the set-up come before the question.
        if (file, frame.f_code.co_name) in (PARTS if self.files else PARTS[:1]):
            self._part = frame
        if self._part is None:
            return
        if file not in self.files:
            self.files.append(file)
        if frame.f_back is not None and project_file(frame.f_back) == STEPS:
            self.packages.append(file.rpartition("/")[0])


def project_file(frame: FrameType) -> str | None:
    """Return the file of a call, as seen from the package; None for code that is not the project's."""
    _, inside, name = frame.f_code.co_filename.partition(PACKAGE)
    return name if inside else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    if item.session.items[TRACED - 1] is not item:
        return (yield)
    trace = Trace()
    sys.setprofile(trace)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        found = {"files": trace.files, "packages": trace.packages}
        Path(os.environ["TRACE_FILE"]).write_text(json.dumps(found))
