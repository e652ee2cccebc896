"""A real server, and a real browser, for the tests that need one."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.kg.server.open import open_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Files of half a minute and more, the longest first; a worker is given whole files.
LONGEST = (
    "test_runs.py",
    "test_loops.py",
    "test_guarded_processes.py",
    "test_continued_runs.py",
    "test_answer_cache.py",
    "test_written_answers.py",
    "test_bad_input.py",
    "test_judged_runs.py",
    "test_gold_on_neo4j.py",
    "test_bank_on_neo4j.py",
    "test_replayed_runs.py",
    "test_background_server.py",
    "test_gates.py",
    "test_graph_rebuild.py",
    "test_sweep.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files, so that no worker is left alone with one at the end."""
    places = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(LONGEST)))


@pytest.fixture(scope="session")
def endpoint() -> Iterator[Endpoint]:
    """A local Neo4j with the default graph; one for each worker, so that a test may have it replaced."""
    reactions = read_graph()
    with open_server(
        "local",
        graph_fingerprint=fingerprint_of(reactions),
        load_graph=lambda driver: load(driver, reactions),
        announce=print,
    ) as running:
        yield running.endpoint


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Debian's chromium, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        yield browser
        browser.close()
