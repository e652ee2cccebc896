"""Runs the suite as a user does: a pytest of its own, in the checkout."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.roles_api import RolesApi
from support.suite import Ran, Session, Suite

from retrocypher.kg.server.endpoint import Endpoint


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Run ``pytest benchmarks`` with arguments."""
    count = iter(range(100))

    def run(*arguments: str, run_dir: Path | None = None, root: Path | None = None) -> Ran:
        # A scripted server is not to be answered for by one that had its port before.
        cache = () if any(each.startswith("--cache") for each in arguments) else ("--cache=none",)
        folder = run_dir or tmp_path / f"run{next(count)}"
        return Session((*cache, *arguments), folder, root).whole()

    return run


@pytest.fixture
def live(suite: Suite, endpoint: Endpoint) -> Suite:
    """Run the suite against the tests' own server, given as a URI."""
    return lambda *arguments, **keywords: suite(f"--graph={endpoint.uri}", *arguments, **keywords)


@pytest.fixture
def scripted(live: Suite, api: RolesApi, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Run the suite with the scripted API behind every model, and without Allure."""

    def run(*arguments: str, **keywords: Any) -> Ran:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-any-0123456789abcdef")
        monkeypatch.setenv("OPENAI_BASE_URL", api.address)
        return live("-p", "no:allure_pytest", *arguments, **keywords)

    return run


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Write a plugin and return the option that loads it."""

    def write(text: str) -> str:
        folder = tmp_path / "plugin"
        folder.mkdir()
        (folder / "brought.py").write_text(text)
        monkeypatch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
        return "-pbrought"

    return write
