"""Written answers from end to end, with a model that plays a script."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.comparable import without_times
from support.roles_api import RolesApi, Said, always, references_by_question, right
from support.suite import Ran, Suite

from kg.questions import load_questions

RIGHT = right(references_by_question(load_questions().questions))
TWO = ("--prompt=P5", "--shot=ZS", "--sample=6", "--answer")
MINI = "--model=gpt-4.1-mini"


def facts_of(text: str) -> list[dict[str, Any]]:
    """The rows that a writer is given."""
    lines = (line for line in text.splitlines() if line.startswith("{"))
    return [json.loads(line) for line in lines]


def first_value(text: str) -> str:
    """Say the first row back."""
    return f"The graph says: {json.dumps(facts_of(text)[0])}."


@pytest.fixture
def api() -> Iterator[RolesApi]:
    server = RolesApi({"generator": RIGHT, "writer": first_value, "claimant": always("[]")})
    yield server
    server.stop()


@pytest.fixture
def answered(live: Suite, api: RolesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Run the suite with a cache of its own, and the scripted server behind every model of an API."""

    def run(*arguments: str, **keywords: Any) -> Ran:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-any-0123456789abcdef")
        monkeypatch.setenv("OPENAI_BASE_URL", api.address)
        kept = f"--cache={tmp_path / 'answers.sqlite'}"
        return live("-p", "no:allure_pytest", kept, *TWO, *arguments, **keywords)

    return run


def turns(ran: Ran, role: str) -> list[dict[str, Any]]:
    return [turn for each in ran.records.values() for turn in each["rounds"] if turn["role"] == role]


def test_answers_are_written_kept_and_counted(answered: Suite, api: RolesApi) -> None:
    first = answered("-n2", MINI)
    assert first.status == 0, first.output
    asked = len(api.asked)
    assert asked == 18
    for record in first.records.values():
        assert record["answer"].startswith("The graph says: {")
    assert "answers: 6 written" in first.output
    assert "answers written by gpt-4.1-mini, from rows" in first.output
    assert first.summary["answers"]["written"] == 6
    second = answered("-n0", MINI)
    assert len(api.asked) == asked
    assert without_times(second.records.values()) == without_times(first.records.values())
    assert all(turn["cached"] and turn["cost"] is None for turn in turns(second, "answer:text"))
    told = json.loads((second.run / "manifest.json").read_text())
    assert (told["answers"]["asked"], told["answers"]["from_cache"]) == (0, 18)
    assert told["answering"]["writers"]["gpt-4.1-mini"]["kind"] == "openai"


def test_a_writer_that_fails_costs_no_score_and_is_asked_again(answered: Suite, api: RolesApi) -> None:
    api.players["writer"] = always(Said(status=400))
    first = answered("-n0", MINI)
    assert first.status == 16, first.output
    assert first.summary["infrastructure_errors"] == 0
    assert first.summary["means"]["f1"] == 1.0
    assert first.summary["answers"]["failed"] == 6
    assert "6 cases with scores, but without a whole answer: model bad_request" in first.output
    for record in first.records.values():
        assert record["passed"]
        assert record["answer"] is None
        assert record["infrastructure_error"] is None
    api.players["writer"] = first_value
    generated = api.count("generator")
    again = answered("-n0", MINI, run_dir=first.run)
    assert again.status == 0, again.output
    assert "CONTINUED: 0 of 6 cases" in again.output
    assert api.count("generator") == generated
    assert all(record["answer"] for record in again.records.values())
