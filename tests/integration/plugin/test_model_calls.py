"""Calls of models in a session: requests ahead, dependent calls at once, budget, refusals, interrupts."""

import signal
import time
from pathlib import Path
from typing import Any

import pytest
from support.comparable import without_times
from support.roles_api import RolesApi, Said, right_answers
from support.suite import Session, Suite

MINI = "--model=gpt-4.1-mini"
ONE_STEP = ("--prompt=P5", "--shot=ZS")
SLOW_S = 0.5


def slow(text: str) -> Said:
    said = right_answers()(text)
    assert isinstance(said, str)
    return Said(said, SLOW_S)


def generated(api: RolesApi) -> list[str]:
    return [text for role, text in api.asked if role == "generator"]


@pytest.mark.parametrize(
    "workers",
    [
        ("-n0",),
        ("-n2",),
        pytest.param(("-n2", "--dist=worksteal"), marks=pytest.mark.scale),
        pytest.param(("-n2", "--dist=loadfile"), marks=pytest.mark.scale),
    ],
)
def test_first_completions_are_requested_ahead_once_each(
    scripted: Suite, api: RolesApi, workers: tuple[str, ...]
) -> None:
    api.roles["generator"] = slow

    ran = scripted(*workers, MINI, "--sample=20", "--concurrency=6")

    assert ran.status == 0, ran.output
    assert len(ran.records) == 20
    assert api.most_at_once == 6
    assert len(generated(api)) == len(set(generated(api))) == 20
    assert all(turn["cost"] and not turn["cached"] for turn in ran.rounds)


def test_calls_that_depend_on_results_are_made_at_once_and_change_nothing(
    scripted: Suite, api: RolesApi
) -> None:
    api.roles["generator"] = slow
    loops = (MINI, *ONE_STEP, "--loop=cove,self-review", "--validator=both", "--sample=8")

    one_by_one = scripted("-n0", "--concurrency=1", *loops)
    assert api.most_at_once == 1
    at_once = scripted("-n2", "--concurrency=8", *loops)

    assert api.most_at_once == 8
    assert at_once.status == one_by_one.status

    def by_case(ran: Any) -> list[Any]:
        return without_times([ran.records[case] for case in sorted(ran.records)])

    assert by_case(at_once) == by_case(one_by_one)
    assert at_once.manifest["answers"]["asked"] == one_by_one.manifest["answers"]["asked"]


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_nothing_is_requested_ahead_after_the_first_failure(
    scripted: Suite, api: RolesApi, workers: str
) -> None:
    api.roles["generator"] = lambda text: Said("MATCH (r:Reaction {id: 0}) RETURN r.id", SLOW_S)

    ran = scripted(workers, "-x", MINI, "--sample=200", "--concurrency=2")

    assert ran.status == 2 or ran.status == 1, ran.output
    assert len(generated(api)) < 100


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_refused_key_ends_the_run_with_status_4(scripted: Suite, api: RolesApi, workers: str) -> None:
    api.roles["generator"] = lambda _: Said(status=401)

    ran = scripted(workers, MINI, "--sample=100")

    assert ran.status == 4
    assert "refused the key (401); check OPENAI_API_KEY" in ran.output
    assert len(ran.records) <= 4
    assert ran.manifest["exit_status"] == 4


@pytest.mark.parametrize(
    ("options", "roles"),
    [
        (("--loop=cove", "--loop-model=gpt-4o"), ("validator",)),
        (("--judge=gpt-4o",), ("judge",)),
        (("--answer", "--answer-model=gpt-4o"), ("writer",)),
    ],
)
def test_a_second_model_that_is_refused_does_not_end_a_run_that_was_paid_for(
    scripted: Suite, api: RolesApi, options: tuple[str, ...], roles: tuple[str, ...]
) -> None:
    api.roles["generator"] = right_answers()
    api.roles.update(dict.fromkeys(roles, lambda _: Said(status=401)))

    ran = scripted("-n0", MINI, *ONE_STEP, *options, "--sample=30", "--concurrency=4")

    assert ran.status == 16, ran.output
    assert len(ran.records) == 30
    assert all(record["rounds"][0]["cost"] for record in ran.records.values())
    (said,) = [line for line in ran.output.splitlines() if "refused the key" in line]
    assert said.startswith("incomplete: 30 cases")
    assert api.address.removeprefix("http://") in said


def test_a_dead_api_makes_all_cases_errors_without_more_calls(
    scripted: Suite, api: RolesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.stop()

    ran = scripted("-n0", MINI, "--sample=40")

    assert ran.status == 16
    assert {record["infrastructure_error"]["kind"] for record in ran.records.values()} == {"connection"}
    assert f"{api.address.removeprefix('http://')} cannot be reached" in ran.output


def test_a_budget_ends_the_run_and_the_same_command_resumes_it(
    scripted: Suite, api: RolesApi, tmp_path: Path
) -> None:
    api.roles["generator"] = right_answers()
    # A call costs 100 tokens of a prompt and 20 of a completion: 72 millionths of a dollar.
    options = (MINI, "--sample=20", f"--cache={tmp_path / 'answers.sqlite'}", "--concurrency=2")
    budget = "--max-cost=0.0007"

    first = scripted("-n0", budget, *options, run_dir=tmp_path / "run")
    assert first.status == 16
    assert "--max-cost is 0.0007. Repeat the command" in first.output
    paid = len(api.asked)
    assert 10 <= paid <= 11

    second = scripted("-n0", *options, run_dir=tmp_path / "run")
    assert second.status == 0, second.output
    assert len(second.records) == 20
    # What was paid for is not asked again, even if its case had not run.
    assert len(api.asked) == 20


def test_a_budget_needs_a_price(scripted: Suite) -> None:
    ran = scripted("--model=nobody-knows-its-price", "--max-cost=1", *ONE_STEP, "--sample=2")
    assert ran.status == 4
    assert "--max-cost: the price of nobody-knows-its-price is not known" in ran.output


def test_sampling_parameters_are_sent_and_identify_a_completion(
    scripted: Suite, api: RolesApi, tmp_path: Path
) -> None:
    api.roles["generator"] = right_answers()
    options = ("-n0", MINI, "--sample=2", f"--cache={tmp_path / 'answers.sqlite'}")
    warm = (
        "--temperature=0.7",
        "--top-p=0.9",
        "--max-tokens=300",
        '--extra-body={"reasoning": {"effort": "low"}}',
    )

    scripted(*options)
    ran = scripted(*options, *warm)
    again = scripted(*options, *warm)

    assert len(api.bodies) == 4
    sent = {
        name: api.bodies[-1][name] for name in ("temperature", "top_p", "max_tokens", "reasoning", "seed")
    }
    assert sent == {
        "temperature": 0.7,
        "top_p": 0.9,
        "max_tokens": 300,
        "reasoning": {"effort": "low"},
        "seed": 0,
    }
    assert ran.manifest["options"]["temperature"] == 0.7
    assert all(turn["cached"] for turn in again.rounds)
    twice = scripted(*options, "--temperature=0", '--extra-body={"temperature": 1}')
    assert (twice.status, "temperature has an option of its own" in twice.output) == (4, True)
    for body in ("[1]", '{"a": NaN}'):
        refused = scripted(*options, f"--extra-body={body}")
        assert (refused.status, f"--extra-body {body}: not a JSON object" in refused.output) == (4, True)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_an_interrupt_ends_hanging_calls(
    scripted: Suite,
    api: RolesApi,
    endpoint: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    workers: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any-0123456789abcdef")
    monkeypatch.setenv("OPENAI_BASE_URL", api.address)
    api.roles["generator"] = lambda _: Said("", pause_s=300.0)
    places = (f"--graph={endpoint.uri}", "--cache=none", "-p", "no:allure_pytest")
    session = Session((*places, workers, MINI, "--sample=40"), tmp_path / "run")
    process = session.start()
    while not api.asked and process.poll() is None:
        time.sleep(0.05)

    process.send_signal(signal.SIGINT)
    ran = session.ended(process)

    assert ran.status == 2, ran.output
    assert "Traceback" not in ran.output
