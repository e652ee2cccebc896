"""The page on running: its settings are read as it says."""

import re
from pathlib import Path

import pytest

from retrocypher.plugins.session.options import read_options

PAGE = Path(__file__).parents[4] / "docs" / "running.md"


def test_the_settings_of_the_page_are_read(pytester: pytest.Pytester) -> None:
    (settings,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    pytester.makepyprojecttoml(settings)
    pytester.plugins = ["retrocypher.plugins.pytest_plugin"]
    options = read_options(pytester.parseconfig())
    assert options.prompt == ("P8", "P10")
    assert options.shot == ("all",)
    assert options.model == ("mini=gpt-4.1-mini-2025-04-14",)
    assert (options.sample, options.query_timeout) == (50, 5.0)
    assert read_options(pytester.parseconfig("--sample=7")).sample == 7
