"""A pytest plugin for the session that is measured: ends it once a case has run, and notes when that was."""

import os
import time
from pathlib import Path

import pytest


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """End the session; called where reports arrive, so with xdist in its controller."""
    if report.when == "call" and "PYTEST_XDIST_WORKER" not in os.environ:
        Path(os.environ["COLLECTION_PROBE"]).write_text(str(time.time()))
        pytest.exit("measured", returncode=0)
