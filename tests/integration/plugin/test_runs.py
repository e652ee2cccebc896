"""Runs: the same whatever the workers, complete on disk, honest in their exit status."""

import json
import os
import socket
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.allure_results import assert_shown_again, attachments, shown
from support.comparable import without_times
from support.suite import CHECKOUT, Ran, Session, Suite

from retrocypher.kg.questions.question import paraphrase
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.cli.main import cli
from retrocypher.prompts.templates.template import prompt_set_sha256

SIX = ("--sample=6", "--task=precursors,best_yield,conditions,chains_to_target", "--phrasing=1,3")
MUTANT = "--model=mutant=mutant:reverse_arrow,reverse_path,drop_component,change_length"
MODELS = ("--model=right=oracle", MUTANT, "--model=exemplar", *SIX)
# The terminal shows no failures of a run that has many, unless an option asks for them.
SHOWN = ("--tb=short", "-rEf")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def alone(endpoint: Endpoint, folder: Path) -> Ran:
    """A run in one process, on a desk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CI", raising=False)
        patch.setenv("COLUMNS", "200")
        patch.setenv("PYTHONPATH", str(CHECKOUT / "tests"), prepend=os.pathsep)
        patch.setenv("LOADED_NAMES", "deepeval,openai")
        patch.setenv("LOADED_FILE", str(folder / "loaded"))
        places = (f"--cache={folder / 'answers.sqlite'}", "-o", f"cache_dir={folder / 'cache'}")
        plain = ("-n0", "-q", f"--graph={endpoint.uri}", "-p", "support.loaded")
        return Session((*plain, *places, *SHOWN, *MODELS), folder / "alone").whole()


@pytest.fixture(scope="module")
def parallel(endpoint: Endpoint, folder: Path) -> Ran:
    """The same run with workers, on a CI service, with the password in the graph's routed address."""
    server = endpoint.uri.removeprefix("bolt://")
    graph = f"--graph=neo4j://{endpoint.user}:{endpoint.password}@{server}"
    with pytest.MonkeyPatch.context() as patch:
        # There pytest's short summary shows messages whole, which must not print a case twice.
        patch.setenv("CI", "true")
        patch.setenv("COLUMNS", "200")
        junit = f"--junit-xml={folder / 'junit.xml'}"
        workers = ("-n2", "--dist=worksteal", "-v")
        return Session((*workers, graph, junit, *SHOWN, *MODELS), folder / "parallel").whole()


@pytest.fixture(params=["alone", "parallel"])
def ran(request: pytest.FixtureRequest) -> Ran:
    found: Ran = request.getfixturevalue(request.param)
    return found


def failed(ran: Ran) -> list[dict[str, Any]]:
    return [record for record in ran.records.values() if not record["passed"]]


def test_workers_change_nothing(alone: Ran, parallel: Ran) -> None:
    assert (alone.status, parallel.status) == (1, 1), alone.output
    records = without_times(alone.records.values())
    assert len(records) == 36
    assert without_times(parallel.records.values()) == records
    assert parallel.summary == alone.summary
    right = [record for record in records.values() if record["model"] == "right"]
    assert [(record["scores"]["f1"], record["passed"]) for record in right] == [(1.0, True)] * 12


def test_what_no_model_is_asked_for_is_neither_made_nor_loaded(alone: Ran, folder: Path) -> None:
    assert "answers:" not in alone.output
    assert not (folder / "answers.sqlite").exists()
    assert alone.manifest["api"] is None
    assert (folder / "loaded").read_text() == "\n"


def test_what_a_run_leaves(parallel: Ran) -> None:
    manifest = parallel.manifest
    assert (manifest["cases"], manifest["exit_status"]) == (36, 1)
    assert manifest["ended"] >= manifest["started"]
    assert manifest["models"][0] == {"label": "right", "kind": "oracle", "argument": ""}
    assert set(manifest["prompts"]) == {"P5", "P10"}
    assert manifest["prompt_set"] == {"name": "paper", "sha256": prompt_set_sha256("paper")}
    assert "neo4j-driver" in manifest["versions"]
    assert "neo4j" not in manifest["versions"]
    questions = map(json.loads, (parallel.run / "questions.jsonl").read_text().splitlines())
    messages = map(json.loads, (parallel.run / "messages.jsonl").read_text().splitlines())
    asked = {record["question_id"] for record in parallel.records.values()}
    assert asked == {question["id"] for question in questions}
    sent = {turn["messages_sha256"] for turn in parallel.rounds}
    assert sent == {message["sha256"] for message in messages}


def test_a_password_is_nowhere(parallel: Ran, endpoint: Endpoint, folder: Path) -> None:
    assert endpoint.password not in parallel.output
    for file in (folder / "junit.xml", *parallel.run.rglob("*")):
        assert not file.is_file() or endpoint.password not in file.read_text()


def test_scores_are_in_the_junit_file(parallel: Ran, folder: Path) -> None:
    cases = ElementTree.parse(folder / "junit.xml").findall(".//testcase")
    assert len(cases) == 36
    for case in cases:
        properties = {found.get("name"): found.get("value") for found in case.findall(".//property")}
        record = parallel.records[case.attrib["name"].partition("[")[2].rstrip("]")]
        assert properties["f1"] == str(record["scores"]["f1"])


def test_the_terminal_says_what_and_how_well(alone: Ran, parallel: Ran) -> None:
    mean = f"36 of 36 cases, mean F1 {alone.summary['means']['f1']:.3f}"
    assert mean in alone.output
    for part in (
        *("graph: Neo4j 5.", "model: right, mutant, exemplar", "questions: 6 of 2,400", mean),
        *("P5×1S-D-S", "P10×1S-D-S", "precursors", "chains_to_target", "records: "),
    ):
        assert part in parallel.output


def test_the_next_commands_are_the_last_to_read(ran: Ran) -> None:
    lines = ran.output.rstrip().splitlines()
    assert any(line.startswith("FAILED ") for line in lines)
    # Below them only pytest says how many cases passed.
    assert [line.partition(":")[0] for line in lines[-4:-1]] == ["HTML report", "one case", "Allure report"]
    assert f"{len(failed(ran))} failed" in lines[-1]


def test_a_wrong_answer_fails_and_says_why_once(ran: Ran) -> None:
    for record in failed(ran):
        primary = f"{record['errors'][0]}: F1 {record['scores']['f1']:.3f}"
        assert f"why:      {', '.join(record['errors'])}" in ran.output
        # Also beside its name in pytest's own short summary, where the terminal is wide enough.
        assert any(record["case_id"] in line and primary in line for line in ran.output.splitlines())
    assert "finding:  " in ran.output
    focused = [record for record in failed(ran) if record["scores"]["focus_f1"] == 1.0]
    assert ran.output.count("F1 is of the whole reaction") == len(focused) > 0
    assert "Traceback" not in ran.output


def test_allure_shows_cases_whole(ran: Ran) -> None:
    results = ran.run / "allure-results"
    assert assert_shown_again(ran.run, "failed") == {record["case_id"] for record in failed(ran)}
    record = next(each for each in failed(ran) if each["execution"]["status"] == "ok")
    result = shown(results)[record["case_id"]]
    assert result["name"] == record["question"]
    assert "<b>finding</b>: " in result["descriptionHtml"]
    labels = {label["name"]: label["value"] for label in result["labels"]}
    parameters = {parameter["name"] for parameter in result["parameters"]}
    for name in ("task", "prompt", "shot", "model"):
        assert labels[name] == record[name]
        assert name in parameters
    held = attachments(result)
    assert {"messages", "answer", "rows", "gold", "reference Cypher"} <= held.keys()
    assert (held["question"], held["Cypher"]) == (record["question"], record["cypher"])
    assert held["difference"].startswith("- ")
    assert "models=right, mutant, exemplar" in (results / "environment.properties").read_text().splitlines()
    assert (results / "categories.json").is_file()


def test_the_last_failures_with_a_mark_are_run_again_and_pass_from_a_threshold_on(
    alone: Ran, live: Suite, folder: Path
) -> None:
    """The records of the run are the predictions of its models."""
    chosen = ("--lf", "-o", f"cache_dir={folder / 'cache'}", "-m", "single_step")
    models = [
        f"--model={name}=file:{alone.run / 'records.jsonl'}" for name in ("right", "mutant", "exemplar")
    ]
    again = live("-n0", "-q", *chosen, *models, *SIX, "--case-threshold=0")
    before = {record["case_id"] for record in failed(alone) if record["setting"] == "single_step"}
    assert set(again.records) == before
    for case, record in again.records.items():
        assert all(record[name] == alone.records[case][name] for name in ("cypher", "scores", "errors"))
    assert (again.status, again.summary["failed"]) == (0, 0), again.output
    assert again.summary["means"]["f1"] < 1


def test_paraphrases_are_cases_of_their_own(parallel: Ran) -> None:
    assert "questions: 6 of 2,400, paraphrases 1, 3, prompts" in parallel.output
    assert "mean F1 by paraphrase: 1: " in parallel.output
    cases = {name: group["cases"] for name, group in parallel.summary["by"]["phrasing"].items()}
    assert cases == {"1": 18, "3": 18}
    asked = {question.id: question for question in load_questions().questions}
    for record in parallel.records.values():
        assert record["question"] == paraphrase(asked[record["question_id"]], record["phrasing"]).text


def test_an_api_that_is_not_there_is_named_and_no_gate_is_judged(
    live: Suite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closing:
        host = f"127.0.0.1:{closing.getsockname()[1]}"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://me:hidden@{host}/v1")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "no" / "folder"))
    models = ("--model=oracle", "--model=gpt-x", "--sample=2", "--prompt=P5")
    ran = live("-n1", *models, "--gate-partial", "--gate=f1>=0")
    assert ran.status == 16, ran.output
    said = f"The API at {host}/v1 cannot be reached (Connection refused). Is OPENAI_BASE_URL right?"
    assert f"model connection: {said}" in ran.output
    assert (ran.summary["infrastructure_errors"], ran.summary["passed"]) == (2, 2)
    broken = [record for record in ran.records.values() if record["infrastructure_error"]]
    errors = {(error["stage"], error["kind"]) for error in (each["infrastructure_error"] for each in broken)}
    assert errors == {("model", "connection")}
    assert all(record["scores"] is None and not record["passed"] for record in broken)
    assert len(assert_shown_again(ran.run, "broken")) == 2
    assert "gate: REFUSED: the run is incomplete: 2 with an infrastructure error" in ran.output
    assert (ran.summary["gate"]["verdict"], ran.summary["gate"]["rules"]) == ("refused", [])
    assert "the results of the run cannot be passed to CI" in ran.output
    assert ran.manifest["api"] == f"{host}/v1"
    for file in ran.run.rglob("*"):
        assert not file.is_file() or "hidden" not in file.read_text()


def test_hostile_answers_are_results(live: Suite, tmp_path: Path) -> None:
    hostile = ["RETURN '\ud800'", "\x1b[31mMATCH (n) RETURN n\x00\u202e", "RETURN " + "x" * 300_000, "[red]{"]
    questions = [question.id for question in load_questions().questions[: len(hostile)]]
    file = tmp_path / "predictions.jsonl"
    predictions = [
        {"question_id": question, "cypher": cypher}
        for question, cypher in zip(questions, hostile, strict=True)
    ]
    file.write_text("\n".join(map(json.dumps, predictions)))
    named = ("--prompt=P5", "--task=precursors", "-k", " or ".join(questions))
    ran = live("-n1", f"--model=file:{file}", *named)
    assert ran.status == 1, ran.output
    assert len(failed(ran)) == len(ran.records) == len(hostile)
    assert {record["cypher"] for record in ran.records.values()} == set(hostile)
    assert "\x1b[31mMATCH" not in ran.output
    assert len(ran.output) < 30_000
    assert assert_shown_again(ran.run, "failed") == set(ran.records)


BREAKS = """
import retrocypher.plugins.scoring.score as module
score = module.score

def broken(question, *arguments, **keywords):
    if question.task == "conditions":
        raise RuntimeError("a fault of the harness")
    return score(question, *arguments, **keywords)

module.score = broken

class Breaks:
    name = "breaks"
    needs_model = False

    def run(self, case, tools):
        raise RuntimeError("a fault of the loop")

def pytest_retrocypher_loops(config):
    return [Breaks()]
"""


def test_a_broken_harness_and_a_broken_loop_are_no_scores(live: Suite, plugin: Callable[[str], str]) -> None:
    ran = live("-n1", plugin(BREAKS), "--model=oracle", "--prompt=P5", "--sample=6", "--loop=none,breaks")
    assert ran.status == 16, ran.output
    lost = ran.summary["lost_cases"]
    assert sorted("-breaks-" in case or "[conditions-" in case for case in lost) == [True] * 7
    assert ran.summary["passed"] == 5
    crashed = "crashed with the worker or in the harness: RuntimeError: a fault of the"
    assert f"incomplete: 6 cases {crashed} loop" in ran.output
    assert f"incomplete: 1 case {crashed} harness" in ran.output
    assert len(assert_shown_again(ran.run, "broken")) == 7


def test_more_metrics_are_measured_on_request_and_kept(live: Suite, alone: Ran, tmp_path: Path) -> None:
    options = ("-n0", "-p", "no:allure_pytest", "--sample=10", "--prompt=P5,P10", "--shot=ZS")
    models = ("--model=right=oracle", "--model=wrong=mutant:reverse_arrow")

    ran = live(*options, *models, "--metrics=ex,psjs", "--gate=ex by model>=0", "--gate-partial")

    assert ran.status == 0, ran.output
    scores = {
        label: [each["scores"] for each in ran.records.values() if each["model"] == label]
        for label in ("right", "wrong")
    }
    assert len(scores["right"]) == 10
    assert all(each["ex"] == each["psjs"] == 1 for each in scores["right"])
    assert {each["ex"] for each in scores["wrong"]} <= {0, 1, None}
    assert min(each["ex"] for each in scores["wrong"] if each["ex"] is not None) == 0
    assert all(each["psjs"] is None or 0 <= each["psjs"] <= 1 for each in scores["wrong"])
    assert ran.summary["by"]["model"]["right"]["means"]["ex"] == 1
    assert "EX 1.000 of 10 cases, PSJS 1.000 of 10 cases" in ran.output
    again = CliRunner().invoke(cli, ["rescore", str(ran.run), "--json"])
    assert again.exit_code == 0, again.output
    assert json.loads(again.output)["changed"] == 0
    assert not any("ex" in (each["scores"] or {}) for each in alone.records.values())
    refused = live(*options, "--model=oracle", "--gate=ex>=0.5", "--gate-partial")
    assert (refused.status, "ex is not measured; add --metrics ex" in refused.output) == (4, True)
