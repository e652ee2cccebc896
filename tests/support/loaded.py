"""Says at the end of a session which of the libraries named in the environment it has loaded."""

import os
import sys
from pathlib import Path

import pytest


def pytest_unconfigure(config: pytest.Config) -> None:
    named = os.environ["LOADED_NAMES"].split(",")
    with Path(os.environ["LOADED_FILE"]).open("a") as file:
        file.write(" ".join(name for name in named if name in sys.modules) + "\n")
