"""Runs: the same whatever the workers, complete on disk, honest in their exit status."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import psutil
import pytest
from support.allure_results import assert_shown_again
from support.interrupts import heed_interrupts
from support.suite import CHECKOUT, Ran, Suite

from retrocypher.kg.questions.question import paraphrase
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint

SAMPLE = "--sample=12"


def comparable(ran: Ran) -> dict[str, dict[str, Any]]:
    """Return the records without what a clock decides."""
    records = ran.records
    for record in records.values():
        record["execution"].pop("time_s")
        for turn in record["rounds"]:
            turn.pop("time_s")
    return records


def test_workers_change_nothing(live: Suite) -> None:
    errors = "--model=mutant=mutant:reverse_arrow,reverse_path,drop_component,change_length"
    arguments = ("--model=oracle", errors, "--model=exemplar", SAMPLE)
    alone = live("-n0", *arguments)
    assert alone.status == 1
    expected = comparable(alone)
    assert len(expected) == 36
    for workers in (("-n2",), ("-n4", "--dist=worksteal")):
        other = live(*workers, *arguments)
        assert other.status == 1
        assert comparable(other) == expected
        assert other.summary == alone.summary


def test_the_oracle_is_always_right(live: Suite) -> None:
    ran = live("-n0", "--model=oracle", SAMPLE)
    assert ran.status == 0, ran.output
    assert {record["scores"]["f1"] for record in ran.records.values()} == {1.0}
    assert ran.summary["passed"] == len(ran.records) == 12


def test_other_wordings_are_cases_of_their_own(live: Suite) -> None:
    ran = live("-n0", "--model=oracle", "--sample=10", "--phrasing=1,3")
    assert ran.status == 0, ran.output
    assert len(ran.records) == 20
    assert "questions: 10 of 2,400, wordings 1, 3, prompts" in ran.output
    assert "mean F1 by wording: 1: 1.000, 3: 1.000" in ran.output
    assert {name: group["cases"] for name, group in ran.summary["by"]["phrasing"].items()} == {
        "1": 10,
        "3": 10,
    }
    asked = {question.id: question for question in load_questions().questions}
    for record in ran.records.values():
        assert record["question"] == paraphrase(asked[record["question_id"]], record["phrasing"]).text
    again = live("-n0", f"--model=oracle=file:{ran.run / 'records.jsonl'}", "--sample=10", "--phrasing=3")
    assert again.status == 0, again.output
    assert set(again.records) == {name for name in ran.records if "-w3-" in name}


def test_what_a_run_leaves_and_that_no_secret_is_in_it(
    live: Suite, endpoint: Endpoint, tmp_path: Path
) -> None:
    scheme, _, rest = endpoint.uri.partition("://")
    ran = live(
        *("-n2", "-v", "--model=right=oracle", SAMPLE, "--prompt=P5"),
        f"--graph={scheme}://{endpoint.user}:{endpoint.password}@{rest}",
        f"--junit-xml={tmp_path / 'junit.xml'}",
    )
    assert ran.status == 0, ran.output
    manifest = json.loads((ran.run / "manifest.json").read_text())
    assert manifest["cases"] == 12
    assert manifest["exit_status"] == 0
    assert manifest["ended"] >= manifest["started"]
    assert manifest["models"] == [{"label": "right", "kind": "oracle", "argument": ""}]
    assert set(manifest["prompts"]) == {"P5"}
    questions = [json.loads(line) for line in (ran.run / "questions.jsonl").read_text().splitlines()]
    messages = [json.loads(line) for line in (ran.run / "messages.jsonl").read_text().splitlines()]
    records = ran.records.values()
    assert {record["question_id"] for record in records} == {question["id"] for question in questions}
    assert {turn["messages_sha256"] for record in records for turn in record["rounds"]} == {
        message["sha256"] for message in messages
    }
    assert all(record["model"] == "right" for record in records)

    assert endpoint.password not in ran.output
    for file in (tmp_path / "junit.xml", *ran.run.rglob("*")):
        assert not file.is_file() or endpoint.password not in file.read_text()

    cases = ElementTree.parse(tmp_path / "junit.xml").findall(".//testcase")
    assert len(cases) == 12
    for case in cases:
        properties = {found.get("name"): found.get("value") for found in case.findall(".//property")}
        assert properties["f1"] == "1.0"


@pytest.mark.parametrize(("workers", "service"), [("-n0", ""), ("-n0", "true"), ("-n2", "true")])
def test_a_wrong_answer_fails_and_says_why_once(
    live: Suite, monkeypatch: pytest.MonkeyPatch, workers: str, service: str
) -> None:
    # On a CI service pytest's short summary shows messages whole, which must not print a case twice.
    monkeypatch.setenv("CI", service)
    monkeypatch.setenv("COLUMNS", "200")
    arguments = ("--model=mutant:drop_component", "--task=precursors,conditions", "--prompt=P5", "--sample=6")
    strict = live(workers, *arguments)
    assert strict.status == 1
    assert strict.summary["failed"] == 6
    for record in strict.records.values():
        primary = f"{record['errors'][0]}: F1 {record['scores']['f1']:.3f}"
        assert primary in strict.output
        assert f"why:      {', '.join(record['errors'])}" in strict.output
        # Also beside its name in pytest's own short summary, where the terminal is wide enough.
        assert any(record["case_id"] in line and primary in line for line in strict.output.splitlines())
    assert "finding:  " in strict.output
    focused = [record for record in strict.records.values() if record["scores"]["focus_f1"] == 1.0]
    assert strict.output.count("F1 is of the whole reaction") == len(focused) > 0
    assert "Traceback" not in strict.output


def test_the_threshold_decides_what_passes(live: Suite) -> None:
    arguments = ("--model=mutant:drop_component", "--task=precursors,conditions", "--prompt=P5", "--sample=6")
    lenient = live("-n0", *arguments, "--case-threshold=0")
    assert lenient.status == 0
    assert lenient.summary["passed"] == 6


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_model_that_cannot_be_asked_is_an_error_not_a_score(
    live: Suite, workers: str, monkeypatch: pytest.MonkeyPatch, refusing_api: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    monkeypatch.setenv("OPENAI_BASE_URL", refusing_api)
    ran = live(workers, "--model=oracle", "--model=some-model", "--sample=6", "--prompt=P5")
    assert ran.status == 16, ran.output
    assert ran.summary["infrastructure_errors"] == 6
    assert ran.summary["passed"] == 6
    failed = [record for record in ran.records.values() if record["infrastructure_error"]]
    assert {record["infrastructure_error"]["stage"] for record in failed} == {"model"}
    assert all(record["scores"] is None and not record["passed"] for record in failed)
    assert "sk-of-nobody" not in ran.output + (ran.run / "records.jsonl").read_text()
    assert assert_shown_again(ran.run, "broken") == {record["case_id"] for record in failed}


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_hostile_answers_are_results(live: Suite, workers: str, tmp_path: Path) -> None:
    hostile = ["RETURN '\ud800'", "\x1b[31mMATCH (n) RETURN n\x00\u202e", "RETURN " + "x" * 300_000, "[red]{"]
    questions = [question.id for question in load_questions().questions[: len(hostile)]]
    file = tmp_path / "predictions.jsonl"
    lines = [
        json.dumps({"question_id": question, "cypher": cypher})
        for question, cypher in zip(questions, hostile, strict=True)
    ]
    file.write_text("\n".join(lines))
    ran = live(
        workers, f"--model=file:{file}", "--prompt=P5", "--task=precursors", "-k", " or ".join(questions)
    )
    assert ran.status == 1, ran.output
    assert len(ran.records) == len(hostile)
    assert not any(record["passed"] for record in ran.records.values())
    assert {record["cypher"] for record in ran.records.values()} == set(hostile)
    assert "\x1b[31mMATCH" not in ran.output
    assert len(ran.output) < 30_000
    assert assert_shown_again(ran.run, "failed") == set(ran.records)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_broken_harness_is_no_score(
    live: Suite, workers: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(
        breaks_scoring="""
        import retrocypher.plugins.scoring.score as scoring
        score = scoring.score

        def broken(question, *arguments, **keywords):
            if question.task == "conditions":
                raise RuntimeError("a fault of the harness")
            return score(question, *arguments, **keywords)

        scoring.score = broken
        """
    )
    monkeypatch.setenv("PYTHONPATH", str(pytester.path), prepend=os.pathsep)
    ran = live(workers, "-p", "breaks_scoring", "--model=oracle", "--prompt=P5", "--sample=6")
    assert ran.status == 16, ran.output
    assert [case for case in ran.summary["lost_cases"] if "[conditions-" in case] == ran.summary["lost_cases"]
    assert len(ran.summary["lost_cases"]) == 1
    assert ran.summary["passed"] == 5
    assert "incomplete: 1 case broke off" in ran.output
    assert len(assert_shown_again(ran.run, "broken")) == 1


def test_a_session_without_a_case_leaves_nothing(live: Suite, tmp_path: Path) -> None:
    ran = live("-n0", "--model=oracle", "-k", "no_such_case", run_dir=tmp_path / "again")
    assert ran.status == 5
    assert "no case was run" in ran.output
    assert not ran.run.exists()


def test_selection_by_name_mark_and_last_failure(live: Suite, tmp_path: Path) -> None:
    arguments = ("-n0", "--model=oracle", SAMPLE, "-o", f"cache_dir={tmp_path / 'cache'}")
    by_name = live(*arguments, "-k", "precursors and not multi_step")
    assert {record["task"] for record in by_name.records.values()} == {"precursors"}
    by_mark = live(*arguments, "-m", "multi_step")
    assert {record["setting"] for record in by_mark.records.values()} == {"multi_step"}
    wrong = ("-n0", "--model=oracle", "--model=mutant:reverse_arrow", SAMPLE, *arguments[3:])
    first = live(*wrong)
    failed = {case for case, record in first.records.items() if not record["passed"]}
    assert failed
    assert set(live(*wrong, "--lf").records) == failed


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_allure_shows_a_case_whole(live: Suite, workers: str) -> None:
    ran = live(workers, "--model=mutant:drop_component", "--task=precursors", "--prompt=P5", "--sample=1")
    (file,) = (ran.run / "allure-results").glob("*-result.json")
    shown = json.loads(file.read_text())
    (record,) = ran.records.values()
    assert shown["name"] == record["question"]
    assert shown["status"] == "failed"
    assert "<b>finding</b>: " in shown["descriptionHtml"]
    labels = {label["name"]: label["value"] for label in shown["labels"]}
    for name in ("setting", "task", "prompt", "shot", "model"):
        assert labels[name] == record[name]
    parameters = {parameter["name"] for parameter in shown["parameters"]}
    assert {"task", "prompt", "shot", "model"} <= parameters
    attached = {each["name"]: each["source"] for step in shown["steps"] for each in step["attachments"]}
    attached |= {each["name"]: each["source"] for each in shown["attachments"]}
    assert (ran.run / "allure-results" / attached["question"]).read_text() == record["question"]
    about = (ran.run / "allure-results" / "environment.properties").read_text()
    assert f"models={record['model']}" in about.splitlines()
    assert (ran.run / "allure-results" / "categories.json").is_file()
    assert {"messages", "answer", "Cypher", "rows", "gold", "difference", "reference Cypher"} <= set(attached)
    assert (ran.run / "allure-results" / attached["Cypher"]).read_text() == record["cypher"]
    assert (ran.run / "allure-results" / attached["difference"]).read_text().startswith("- ")
    assert len(assert_shown_again(ran.run, "failed")) == 1


def test_the_terminal_says_what_and_how_well(live: Suite) -> None:
    ran = live("-n2", "--model=oracle", SAMPLE)
    for part in (
        "graph: Neo4j 5.",
        "model: oracle",
        "questions: 12 of 2,400",
        "12 of 12 cases, mean F1 1.000",
    ):
        assert part in ran.output
    for part in ("P5 × 1S-D-S", "P10 × 1S-D-S", "precursors", "chains_to_target", "records: "):
        assert part in ran.output
    assert "12 of 12 cases, mean F1 1.000" in live("-q", "-n2", "--model=oracle", SAMPLE).output


class Background:
    """A session that is still running, with two workers, on the tests' server."""

    def __init__(self, endpoint: Endpoint, run: Path, environment: dict[str, str]) -> None:
        self.run = run
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "pytest", "benchmarks", "-n2", "--model=oracle", "--sample=300"),
                *(f"--graph={endpoint.uri}", f"--run-dir={run}"),
            ],
            cwd=CHECKOUT,
            env={**environment, "NEO4J_USER": endpoint.user, "NEO4J_PASSWORD": endpoint.password},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=heed_interrupts,
        )
        deadline = time.monotonic() + 120
        while len(self.lines()) < 10:
            assert self.process.poll() is None, self.process.communicate()[0]
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def lines(self) -> list[str]:
        """Return the records written so far, a half-written one left out."""
        file = self.run / "records.jsonl"
        text = file.read_text() if file.exists() else ""
        return text[: text.rfind("\n") + 1].splitlines()


def test_a_killed_run_keeps_what_it_had(
    endpoint: Endpoint, tmp_path: Path, environment: dict[str, str]
) -> None:
    session = Background(endpoint, tmp_path / "run", environment)
    workers = psutil.Process(session.process.pid).children(recursive=True)
    session.process.kill()
    session.process.communicate()
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive
    records = [json.loads(line) for line in session.lines()]
    assert len(records) >= 10
    assert all(record["scores"]["f1"] == 1.0 for record in records)
    assert (tmp_path / "run" / "manifest.json").exists()


def test_ctrl_c_closes_the_run(endpoint: Endpoint, tmp_path: Path, environment: dict[str, str]) -> None:
    session = Background(endpoint, tmp_path / "run", environment)
    session.process.send_signal(signal.SIGINT)
    output, _ = session.process.communicate(timeout=60)
    assert session.process.returncode == 2, output
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["cases"] == len(session.lines())
    assert summary["selected_cases"] == 300
    assert f"incomplete: {summary['cases']} of 300 cases were run" in output
    shown = [json.loads(file.read_text()) for file in session.run.glob("allure-results/*-result.json")]
    recorded = {json.loads(line)["case_id"] for line in session.lines()}
    cases = [{each["name"]: each["value"] for each in result["parameters"]}["case"] for result in shown]
    assert sorted(cases) == sorted(recorded)


def test_a_lost_worker_makes_the_run_incomplete(
    endpoint: Endpoint, tmp_path: Path, environment: dict[str, str]
) -> None:
    session = Background(endpoint, tmp_path / "run", environment)
    workers = [
        child
        for child in psutil.Process(session.process.pid).children()
        if "exec(eval(" in " ".join(child.cmdline())
    ]
    workers[0].kill()
    output, _ = session.process.communicate(timeout=300)
    assert session.process.returncode == 16, output
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert len(summary["lost_cases"]) == 1
    assert len(assert_shown_again(tmp_path / "run", "broken")) == 1
    # A worker killed between a case's record and the case's end loses it although the record is there.
    assert summary["passed"] in (299, 300)
