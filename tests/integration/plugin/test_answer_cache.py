"""The cache of answers from end to end: what was asked once is not asked again."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.comparable import without_times
from support.roles_api import RolesApi, Said, always, references_by_question, right
from support.suite import Ran, Suite

from retrocypher.kg.questions.reading import load_questions

RIGHT = right(references_by_question(load_questions().questions))
SECRET = "sk-never-to-be-kept-0123"
LOOPS = ("--loop=none,cove,review", "--validator=both", "--sample=4", "--prompt=P5", "--shot=ZS", "--ledger")
MINI = "--model=gpt-4.1-mini"


@pytest.fixture
def api() -> Iterator[RolesApi]:
    server = RolesApi({"generator": RIGHT})
    wrong = '{"valid": false, "errors": [{"item": 1, "problem": "not what was asked"}]}'
    accepted = '{"accepted": true, "issues": []}'
    server.players |= {"validator": always(wrong), "reviewer": always(accepted)}
    server.players |= {"analyst": always("Molecules react.")}
    # Another answer each time, though it is asked the same again.
    turns = iter(range(10_000))
    server.players["corrector"] = lambda _: f"I would not know, for the {next(turns)}th time."
    yield server
    server.stop()


@pytest.fixture
def cached(live: Suite, api: RolesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Run the suite with a cache of its own, and the scripted server behind every model of an API."""

    def run(*arguments: str, **keywords: Any) -> Ran:
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        address = api.address.replace("http://", f"http://user:{SECRET}@")
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        kept = f"--cache={tmp_path / 'answers.sqlite'}"
        return live("-p", "no:allure_pytest", kept, *arguments, **keywords)

    return run


def rounds(ran: Ran) -> list[dict[str, Any]]:
    """The rounds that asked a model in their case."""
    turns = [turn for record in ran.records.values() for turn in record["rounds"]]
    return [turn for turn in turns if turn["messages_sha256"] and turn["role"] != "analyst"]


def manifest(ran: Ran) -> Any:
    return json.loads((ran.run / "manifest.json").read_text())


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_second_run_asks_nothing_and_says_the_same(
    cached: Suite, api: RolesApi, tmp_path: Path, workers: str
) -> None:
    first = cached(workers, MINI, *LOOPS)
    asked = len(api.asked)
    assert api.count("corrector") == 12
    assert api.count("generator") >= 4
    assert f"answers: kept in {tmp_path / 'answers.sqlite'}, 0 there" in first.output
    assert f"answers: {asked:,} asked, " in first.output
    # A corrector is asked the same again within its case, and is answered anew.
    said = [turn["answer"] for turn in rounds(first) if turn["role"] == "corrector"]
    assert len(set(said)) == 12

    second = cached("-n0" if workers == "-n2" else "-n2", MINI, *LOOPS)
    assert len(api.asked) == asked
    assert second.status == first.status
    assert without_times(second.records.values()) == without_times(first.records.values())
    assert all(turn["cached"] and turn["cost"] is None for turn in rounds(second))
    assert all(turn["tokens"] == {"prompt": 100, "completion": 20} for turn in rounds(second))
    told = manifest(second)["answers"]
    assert (told["asked"], told["from_cache"]) == (0, len(rounds(second)) + 1)
    assert f"answers: 0 asked, {len(rounds(second)) + 1} from the cache" in second.output
    (once,) = manifest(second)["loops"]["once"]
    assert (once["cached"], once["cost"], once["text"]) == (True, None, "Molecules react.")
    for one, other in zip(first.summary["ledger"], second.summary["ledger"], strict=True):
        assert (one["calls"], one["tokens"]) == (other["calls"], other["tokens"])

    for folder in (tmp_path, first.run, second.run):
        for file in (path for path in folder.iterdir() if path.is_file()):
            assert SECRET.encode() not in file.read_bytes(), file


def test_failures_are_asked_again(cached: Suite, api: RolesApi) -> None:
    api.players["generator"] = always(Said(status=400))
    arguments = ("-n0", MINI, "--sample=2", "--prompt=P5", "--shot=ZS")
    assert cached(*arguments).status == 16
    api.players["generator"] = RIGHT
    again = cached(*arguments)
    assert again.status == 0, again.output
    assert not any(turn["cached"] for turn in rounds(again))
    assert api.count("generator") == 4


def test_without_a_cache_all_is_asked(cached: Suite, api: RolesApi, tmp_path: Path) -> None:
    arguments = ("-n0", MINI, "--sample=2", "--prompt=P5", "--shot=ZS", "--cache=none")
    for asked in (2, 4):
        ran = cached(*arguments)
        assert api.count("generator") == asked
        assert "answers: 2 asked, none kept (--cache none)" in ran.output
    told = manifest(ran)
    (used,) = told["answers"].pop("by_model").values()
    assert told["answers"] == {"cache": None, "asked": 2, "from_cache": 0, "cost": used["cost"]}
    assert used["cost"] == pytest.approx(sum(turn["cost"] for turn in rounds(ran)))
    assert used["served"] == [{"model": "scripted-1", "system_fingerprint": "fp_1", "answers": 2}]
    assert told["counts"]["run"] == told["counts"]["selected"] == 2
    assert not (tmp_path / "answers.sqlite").exists()


def test_a_cache_is_made_only_for_models_that_are_asked(live: Suite, tmp_path: Path) -> None:
    ran = live("-n0", "--model=oracle", "--sample=2", f"--cache={tmp_path / 'answers.sqlite'}")
    assert ran.status == 0
    assert "answers:" not in ran.output
    assert not (tmp_path / "answers.sqlite").exists()


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_cache_that_cannot_be_used_ends_the_run_before_it_begins(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, workers: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    file = tmp_path / "notes.txt"
    file.write_text("These are notes, and no answers of a model.\n" * 50)
    ran = suite(workers, MINI, f"--cache={file}")
    assert ran.status == 4
    assert f"the answer cache {file} is no SQLite database" in ran.output
    assert "INTERNALERROR" not in ran.output
    assert not ran.run.exists()


_FILLS_UP = """
import pytest

@pytest.fixture(autouse=True, scope="session")
def full(answers):
    (pages,) = answers._connection.execute("PRAGMA page_count").fetchone()
    answers._connection.execute(f"PRAGMA max_page_count = {pages}")
"""


def test_a_disk_that_fills_up_loses_no_answer(
    cached: Suite, api: RolesApi, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(fills_up=_FILLS_UP)
    paths = (os.fspath(pytester.path), os.environ.get("PYTHONPATH", ""))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    long = "```\nRETURN 1\n```" + "It is so. " * 2_000
    api.players["generator"] = always(long)
    ran = cached("-n2", "-pfills_up", MINI, "--sample=6", "--prompt=P5", "--shot=ZS")
    assert ran.status == 1, ran.output
    assert [turn["answer"] for turn in rounds(ran)] == [long] * 6
    assert "answers are not kept, the run goes on without" in ran.output
    assert "the disk is full" in ran.output
