"""The cache of answers from end to end: what was asked once is not asked again."""

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


def test_a_second_run_asks_nothing_and_says_the_same(cached: Suite, api: RolesApi, tmp_path: Path) -> None:
    wrong = '{"valid": false, "errors": [{"item": 1, "problem": "not what was asked"}]}'
    turns = iter(range(10_000))
    api.players |= {
        "validator": always(wrong),
        # Another answer each time, though it is asked the same again.
        "corrector": lambda _: f"I would not know, for the {next(turns)}th time.",
    }
    loops = ("--loop=none,cove,review", "--validator=both", "--sample=4", "--ledger")
    first = cached("-n2", *loops)
    asked = len(api.asked)
    assert api.count("corrector") == 12
    assert api.count("generator") >= 4
    assert f"answers: kept in {tmp_path / 'answers.sqlite'}, 0 there" in first.output
    assert f"answers: {asked:,} asked, " in first.output
    # A corrector is asked the same again within its case, and is answered anew.
    assert len({turn["answer"] for turn in asking(first) if turn["role"] == "corrector"}) == 12

    second = cached("-n0", *loops)
    assert len(api.asked) == asked
    assert second.status == first.status
    assert without_times(second.records.values()) == without_times(first.records.values())
    assert all(turn["cached"] and turn["cost"] is None for turn in asking(second))
    assert all(turn["tokens"] == {"prompt": 100, "completion": 20} for turn in asking(second))
    told = second.manifest["answers"]
    assert (told["asked"], told["from_cache"]) == (0, len(asking(second)) + 1)
    assert f"answers: 0 asked, {len(asking(second)) + 1} from the cache" in second.output
    (once,) = second.manifest["loops"]["once"]
    assert (once["cached"], once["cost"], once["text"]) == (True, None, "Molecules react.")
    for one, other in zip(first.summary["ledger"], second.summary["ledger"], strict=True):
        assert (one["calls"], one["tokens"]) == (other["calls"], other["tokens"])

    for folder in (tmp_path, first.run, second.run):
        for file in (path for path in folder.iterdir() if path.is_file()):
            assert SECRET.encode() not in file.read_bytes(), file


def test_without_a_cache_nothing_is_kept(cached: Suite, api: RolesApi, tmp_path: Path) -> None:
    ran = cached("-n0", "--sample=2", "--cache=none")
    assert api.count("generator") == 2
    assert "answers: 2 asked, none kept (--cache none)" in ran.output
    told = ran.manifest["answers"]
    (used,) = told.pop("by_model").values()
    assert told == {"cache": None, "asked": 2, "from_cache": 0, "cost": used["cost"]}
    assert used["cost"] == pytest.approx(sum(turn["cost"] for turn in asking(ran)))
    assert used["served"] == [{"model": "scripted-1", "system_fingerprint": "fp_1", "answers": 2}]
    assert ran.manifest["counts"]["run"] == ran.manifest["counts"]["selected"] == 2
    assert not (tmp_path / "answers.sqlite").exists()


FILLS_UP = """
import pytest

@pytest.fixture(autouse=True, scope="session")
def full(answers):
    (pages,) = answers._connection.execute("PRAGMA page_count").fetchone()
    answers._connection.execute(f"PRAGMA max_page_count = {pages}")
"""


def test_a_disk_that_fills_up_loses_no_answer(
    cached: Suite, api: RolesApi, plugin: Callable[[str], str]
) -> None:
    long = "```\nRETURN 1\n```" + "It is so. " * 2_000
    api.players["generator"] = always(long)
    ran = cached("-n2", plugin(FILLS_UP), "--sample=6")
    assert ran.status == 1, ran.output
    assert [turn["answer"] for turn in asking(ran)] == [long] * 6
    assert "answers are not kept, the run goes on without" in ran.output
    assert "the disk is full" in ran.output
