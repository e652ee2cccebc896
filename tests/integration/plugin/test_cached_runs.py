"""The response cache from end to end: a run is repeated without a network, a key or a call."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.comparable import without_times
from support.roles_api import RolesApi, always
from support.suite import Ran, Suite

SECRET = "sk-never-to-be-kept-0123"
ONE_STEP = ("--prompt=P5", "--shot=ZS")
MINI = "--model=gpt-4.1-mini"
CONNECTS = """
import os, socket
import pytest

def connect(who):
    try:
        socket.create_connection(("192.0.2.1", 80), 1)
    except OSError as error:
        with open(os.environ["CONNECTED"], "a") as file:
            file.write(f"{who}: {error}\\n")

def pytest_sessionstart(session):
    worker = getattr(session.config, "workerinput", {"workerid": "controller"})["workerid"]
    connect(f"session {worker}")

@pytest.fixture(autouse=True)
def connects():
    connect("case")
"""


@pytest.fixture
def cached(live: Suite, api: RolesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Run the suite with a cache of its own, and the scripted API behind every model."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_BASE_URL", api.address.replace("http://", f"http://user:{SECRET}@"))
    kept = f"--cache={tmp_path / 'answers.sqlite'}"
    return lambda *arguments: live("-p", "no:allure_pytest", kept, MINI, *ONE_STEP, *arguments)


def asking(ran: Ran) -> list[dict[str, Any]]:
    """The rounds that asked a model in their case."""
    return [turn for turn in ran.rounds if turn["messages_sha256"] and turn["role"] != "analyst"]


def test_a_second_run_is_the_same_without_network_and_key(
    cached: Suite,
    api: RolesApi,
    plugin: Callable[[str], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = '{"valid": false, "errors": [{"item": 1, "problem": "not what was asked"}]}'
    turns = iter(range(10_000))
    api.roles |= {
        "validator": always(wrong),
        # Another answer each time, though it is asked the same again.
        "corrector": lambda _: f"I would not know, for the {next(turns)}th time.",
    }
    loops = ("--loop=none,cove,self-review", "--validator=both", "--sample=4", "--ledger")
    first = cached("-n0", *loops)
    asked = len(api.asked)
    assert api.count("analyst") == 1
    assert api.count("corrector") == 12
    assert api.count("generator") >= 4
    assert f"answers: kept in {tmp_path / 'answers.sqlite'}, 0 there" in first.output
    assert f"answers: {asked:,} asked, " in first.output
    # A corrector is asked the same again within its case, and is answered anew.
    assert len({turn["answer"] for turn in asking(first) if turn["role"] == "corrector"}) == 12

    api.stop()
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.setenv("CONNECTED", str(tmp_path / "connected"))
    cache = tmp_path / "answers.sqlite"
    before = cache.read_bytes()
    second = cached("-n1", plugin(CONNECTS), "--offline", *loops)
    assert len(api.asked) == asked
    assert cache.read_bytes() == before
    assert second.status == first.status
    assert without_times(second.records.values()) == without_times(first.records.values())
    assert all(turn["cached"] and turn["cost"] is None for turn in asking(second))
    assert all(turn["tokens"] == {"prompt": 100, "completion": 20} for turn in asking(second))
    usage = second.manifest["answers"]
    assert (usage["asked"], usage["from_cache"]) == (0, len(asking(second)) + 1)
    assert f"answers: 0 asked, {len(asking(second)) + 1} from the cache" in second.output
    (once,) = second.manifest["loops"]["once"]
    assert (once["cached"], once["cost"], once["text"]) == (True, None, "Molecules react.")
    for one, other in zip(first.summary["ledger"], second.summary["ledger"], strict=True):
        assert (one["calls"], one["tokens"]) == (other["calls"], other["tokens"])

    assert "offline: connections to other machines are refused" in second.output
    assert second.manifest["options"]["offline"] is True
    connected = (tmp_path / "connected").read_text().splitlines()
    assert all("--offline refuses connections to other machines" in line for line in connected)
    sessions = {line.split(":")[0] for line in connected if line.startswith("session")}
    assert sessions == {"session controller", "session gw0"}
    assert sum(line.startswith("case") for line in connected) == len(second.records)

    for folder in (tmp_path, first.run, second.run):
        for file in (path for path in folder.iterdir() if path.is_file()):
            assert SECRET.encode() not in file.read_bytes(), file
