"""Plugins of pytest that come with libraries, and what of them a session may load."""

import tomllib
from importlib.metadata import entry_points
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
USED = {"allure_pytest", "benchmark", "hypothesispytest", "platformdirs", "xdist", "xdist.looponfail"}


@pytest.fixture(scope="module")
def switched_off() -> set[str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        options = tomllib.load(file)["tool"]["pytest"]["ini_options"]["addopts"].split()
    return {value.removeprefix("no:") for flag, value in pairwise(options) if flag == "-p"}


def test_a_plugin_that_a_library_brings_is_used_or_switched_off(switched_off: set[str]) -> None:
    installed = {each.name for each in entry_points(group="pytest11")}

    assert installed - USED - switched_off == set()


def test_nothing_that_a_session_needs_is_switched_off(switched_off: set[str]) -> None:
    assert switched_off & USED == set()
