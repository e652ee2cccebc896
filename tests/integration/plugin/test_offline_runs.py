"""Runs without a network: every answer from the cache, and no other machine reached."""

from collections.abc import Callable
from pathlib import Path

import pytest
from support.roles_api import RolesApi
from support.suite import Suite

from retrocypher.prompts.models.cache_files import stats

MINI = ("--model=gpt-4.1-mini", "--model=oracle", "--prompt=P5", "--shot=ZS")
LOOKS_OUT = """
import os, socket
import pytest

def look(who):
    try:
        socket.create_connection(("192.0.2.1", 80), 1)
    except OSError as error:
        with open(os.environ["LOOKED_OUT"], "a") as file:
            file.write(f"{who}: {error}\\n")

def pytest_sessionstart(session):
    worker = getattr(session.config, "workerinput", {"workerid": "controller"})["workerid"]
    look(f"session {worker}")

@pytest.fixture(autouse=True)
def looks_out():
    look("case")
"""


def test_a_run_is_repeated_without_network_and_key(
    live: Suite,
    api: RolesApi,
    plugin: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache = tmp_path / "answers.sqlite"
    monkeypatch.setenv("OPENAI_BASE_URL", api.address)
    with monkeypatch.context() as keyed:
        keyed.setenv("OPENAI_API_KEY", "any")
        first = live("-n0", f"--cache={cache}", *MINI, "--sample=3")
    assert first.status == 0, first.output
    api.stop()

    monkeypatch.setenv("LOOKED_OUT", str(tmp_path / "looked-out"))
    before = cache.read_bytes()
    again = live("-n2", plugin(LOOKS_OUT), "--offline", f"--cache={cache}", *MINI, "--sample=4")
    # One question more than there are answers.
    assert again.status == 16, again.output
    missing = {case: record for case, record in again.records.items() if record["infrastructure_error"]}
    # A model that looks at the question alone answers as ever.
    ((case, record),) = missing.items()
    assert record["model"] == "gpt-4.1-mini"
    fault = record["infrastructure_error"]
    assert (fault["stage"], fault["kind"]) == ("model", "not_cached")
    for part in (case, str(cache), "without --offline", "retrocypher cache import"):
        assert part in fault["message"]
    assert f"model not_cached: {case}" in again.output
    for name, record in first.records.items():
        assert again.records[name]["scores"] == record["scores"]
        assert again.records[name]["rounds"][0]["answer"] == record["rounds"][0]["answer"]
    assert "offline: connections to other machines are refused" in again.output
    assert again.manifest["options"]["offline"] is True
    assert cache.read_bytes() == before
    assert stats(cache).answers == 3

    looked = (tmp_path / "looked-out").read_text().splitlines()
    assert all("--offline refuses connections to other machines" in line for line in looked)
    sessions = {line.split(":")[0] for line in looked if line.startswith("session")}
    assert sessions == {"session controller", "session gw0", "session gw1"}
    assert sum(line.startswith("case") for line in looked) == 8
