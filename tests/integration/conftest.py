"""A real server, a scripted API and a real browser, for the tests that need one."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import neo4j
import pytest
from support.roles_api import RolesApi, scripted_api
from support.server_tests import server_with

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.server.endpoint import Endpoint, connect

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The longest files, the longest first; a worker is given whole files.
LONGEST = (
    "test_runs.py",
    "test_loops.py",
    "test_resumed_runs.py",
    "test_gold_on_neo4j.py",
    "test_bank_on_neo4j.py",
    "test_graph_rebuild.py",
    "test_replayed_runs.py",
    "test_background_server.py",
    "test_written_answers.py",
    "test_gates.py",
    "test_judged_runs.py",
    "test_cached_runs.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files, so that no worker is left alone with one at the end."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONGEST)))


@pytest.fixture(scope="session", autouse=True)
def _nothing_of_the_users() -> Iterator[None]:
    """No key of the user's, and no say of the job that the tests are run in."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("OPENAI_API_KEY", "PYTEST_ADDOPTS", "GITHUB_STEP_SUMMARY"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def endpoint() -> Iterator[Endpoint]:
    """A local Neo4j with the default graph, whose user the environment names.

    There is one for each worker, so that a test may have it replaced. A user's own server is left alone.
    """
    with server_with(read_graph()) as running, pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEO4J_USER", running.endpoint.user)
        patch.setenv("NEO4J_PASSWORD", running.endpoint.password)
        yield running.endpoint


@pytest.fixture(scope="module")
def driver(endpoint: Endpoint) -> Iterator[neo4j.Driver]:
    with connect(endpoint) as opened:
        yield opened


@pytest.fixture
def api() -> Iterator[RolesApi]:
    """A scripted API whose models write right queries and object to nothing."""
    with scripted_api() as served:
        yield served


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Debian's chromium, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        yield browser
        browser.close()
