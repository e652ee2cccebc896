"""A shard of a sweep that is tried again: what it has is not asked again, and what it paid for is kept."""

import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.records import raw_records
from support.roles_api import RolesApi, Said, references_by_question, right
from support.suite import CHECKOUT

from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.resume import is_complete

RIGHT = right(references_by_question(load_questions().questions))


@pytest.fixture
def api() -> Iterator[RolesApi]:
    server = RolesApi()
    yield server
    server.stop()


def test_an_attempt_goes_on_with_the_one_before(endpoint: Endpoint, api: RolesApi, tmp_path: Path) -> None:
    run, kept = tmp_path / "run", tmp_path / "kept" / "answers.jsonl.gz"
    ours = ("PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment |= {"NEO4J_USER": endpoint.user, "NEO4J_PASSWORD": endpoint.password}
    environment |= {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": api.address, "PYTHONPATH": str(CHECKOUT)}
    asked = ["--shard=1/1", f"--run-dir={run}", f"--graph={endpoint.uri}", f"--kept={kept}"]
    options = ["--model=gpt-4.1-mini", "--prompt=P5", "--shot=ZS", "--sample=4", "-p", "no:allure_pytest"]

    def attempt() -> int:
        script = str(CHECKOUT / "workflow" / "scripts" / "shard.py")
        done = subprocess.run(
            [sys.executable, script, *asked, "--", *options], env=environment, timeout=240, check=False
        )
        return done.returncode

    def answers() -> int:
        return len(gzip.decompress(kept.read_bytes()).splitlines())

    turns = iter(range(100))
    api.players["generator"] = lambda text: Said(status=400) if next(turns) == 1 else RIGHT(text)
    assert attempt() == 16
    assert answers() == 3
    before = api.count("generator")
    assert attempt() == 0
    assert api.count("generator") == before + 1
    assert answers() == 4
    assert is_complete(RunLog(run))
    assert len(raw_records(run)) == 4
    # As where a job was lost after its pytest had ended well.
    assert attempt() == 0
    assert api.count("generator") == before + 1
