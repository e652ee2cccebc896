"""Runs the suite as a user does: a pytest of its own, in the checkout."""

import json
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from support.suite import CHECKOUT, Ran, Suite

from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.endpoint import Endpoint


@pytest.fixture(scope="session")
def made_before() -> Path:
    """The user's cache; found before a test has a home of its own."""
    return cache_dir()


@pytest.fixture
def suite(
    made_before: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Suite:
    """Run ``pytest benchmarks`` with arguments, without a key in the environment."""
    # Else each session would fetch the grammar anew.
    monkeypatch.setenv("RETROCYPHER_CACHE", str(made_before))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    # What a session of a test says is not for the job that the tests are run in.
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    count = iter(range(100))

    def run(
        *arguments: str, where: str = "benchmarks", run_dir: Path | None = None, root: Path | None = None
    ) -> Ran:
        folder = run_dir or tmp_path / f"run{next(count)}"
        # With a root of its own, the run gets a folder below that, as it does without --run-dir.
        named = () if root else (f"--run-dir={folder}",)
        # A scripted server is not to be answered for by one that had its port before.
        cache = () if any(each.startswith("--cache") for each in arguments) else ("--cache=none",)
        result = pytester.runpytest_subprocess(
            str(CHECKOUT / where),
            f"--rootdir={root or CHECKOUT}",
            f"--confcutdir={CHECKOUT}",
            "-c",
            str(CHECKOUT / "pyproject.toml"),
            *named,
            # It would load all of Hypothesis at the end of each session, which has no use for it.
            "-p",
            "no:hypothesispytest",
            *cache,
            *arguments,
            timeout=300,
        )
        output = "\n".join((*result.outlines, *result.errlines))
        return Ran(int(result.ret), output, folder)

    return run


@pytest.fixture
def live(suite: Suite, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Run the suite against the tests' own server, given as a URI."""
    monkeypatch.setenv("NEO4J_USER", endpoint.user)
    monkeypatch.setenv("NEO4J_PASSWORD", endpoint.password)

    def run(*arguments: str, **keywords: Any) -> Ran:
        return suite(f"--graph={endpoint.uri}", *arguments, **keywords)

    return run


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of a session: no key, and nothing of the session that tests it."""
    ours = ("OPENAI_API_KEY", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER")
    return {name: value for name, value in os.environ.items() if name not in ours}


@pytest.fixture
def refusing_api() -> Iterator[str]:
    """An OpenAI-compatible API that accepts no key."""

    class Refuses(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.dumps({"error": {"message": "no such key", "code": "invalid_api_key"}}).encode()
            self.send_response(401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refuses)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
