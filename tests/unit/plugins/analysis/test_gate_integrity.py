"""A gate judges a run only if manifest, summary and records agree, and every case has a score or a reason."""

import gzip
import hashlib
import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner
from support.compared import case, question, run_of, whole_run
from support.judged import judged
from support.manifests import manifest_of
from support.records import raw_records

from retrocypher.kg.errors import RetroCypherError
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.runs.record import fields_of
from retrocypher.plugins.session.options import read_options

COUNT = 20
Lines = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return run_of(tmp_path / "run", [1.0, 0.5] * (COUNT // 2))


class Ended(NamedTuple):
    exit_code: int
    output: str


def command(*arguments: object) -> Ended:
    """Run a command as a shell does: an error of the suite is its message, and the error's status."""
    found = CliRunner().invoke(cli, [*map(str, arguments)])
    if isinstance(found.exception, RetroCypherError):
        return Ended(found.exception.exit_status, str(found.exception))
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return Ended(found.exit_code, found.output)


def gate(run: Path, *arguments: object) -> Ended:
    return command("gate", run, *(arguments or ("f1>=0.1",)))


def write(run: Path, lines: Lines) -> None:
    (run / "records.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))


def edit(run: Path, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    page = json.loads((run / name).read_text())
    change(page)
    (run / name).write_text(json.dumps(page))


def test_a_run_as_it_was_left_is_judged_with_and_without_the_hash(run: Path) -> None:
    assert gate(run).exit_code == 0
    # Summaries of earlier versions have no hash.
    edit(run, "summary.json", lambda page: [page.pop(name) for name in ("cases_sha256", "scores_sha256")])
    assert gate(run).exit_code == 0


@pytest.mark.parametrize("partial", [(), ("--gate-partial",)])
def test_a_case_with_neither_score_nor_reason_makes_the_run_incomplete(
    run: Path, partial: tuple[str, ...]
) -> None:
    lines = raw_records(run)
    for line in lines[:4]:
        line["scores"], line["passed"] = None, False
    write(run, lines)
    found = gate(run, "f1>=0.1", *partial)
    assert found.exit_code == 16
    assert "4 without a score and without an infrastructure error" in found.output


def twice_under_a_new_id(lines: Lines) -> None:
    lines.append({**lines[0], "case_id": "another"})


def twice_as_another_question(lines: Lines) -> None:
    other = lines[2]
    lines[2] = {
        **lines[0],
        "question_id": other["question_id"],
        "case_id": other["case_id"],
    }


def another_model(lines: Lines) -> None:
    for line in lines:
        line["model"], line["case_id"] = "best", line["case_id"].replace("-m", "-best")


def better_score(lines: Lines) -> None:
    lines[1]["scores"]["f1"] = 0.9


def passed_by_word(lines: Lines) -> None:
    lines[1]["passed"] = True


def other_task(lines: Lines) -> None:
    lines[0]["task"] = "conditions"


def other_wording(lines: Lines) -> None:
    lines[0]["question"] = "Something else?"


def judged_by_nobody_named(lines: Lines) -> None:
    lines[0]["judge"] = judged(0.9)


def a_query_that_ran(lines: Lines) -> None:
    lines[0]["execution"]["status"] = "timeout"


def exchanged_between_tasks(lines: Lines) -> None:
    for name in ("scores", "passed"):
        lines[0][name], lines[1][name] = lines[1][name], lines[0][name]


def better_score_of_a_key(lines: Lines) -> None:
    right = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "tp": 1, "fp": 0, "fn": 0}
    lines[0]["scores"]["per_key"] = {"agents": {**right, "stage": None, "columns": {}}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines.pop(), "says cases 20, and records.jsonl gives 19"),
        (twice_under_a_new_id, "case another: its fields make the id precursors-000-P5-ZS-none-m"),
        (twice_as_another_question, "its question is another in questions.jsonl"),
        (another_model, "manifest.json has no model best"),
        (better_score, "says mean f1 0.75, and records.jsonl gives 0.77"),
        (passed_by_word, "it passed, and its f1 is below the threshold 1"),
        (other_task, "task is conditions, and precursors in questions.jsonl"),
        (other_wording, "its question is another in questions.jsonl"),
        (judged_by_nobody_named, "it has judgements, and manifest.json names no judge"),
        (a_query_that_ran, "summary.json is of other scores than records.jsonl"),
        (exchanged_between_tasks, "summary.json is of other scores than records.jsonl"),
        (better_score_of_a_key, "summary.json is of other scores than records.jsonl"),
    ],
)
def test_records_that_were_changed_are_refused(
    run: Path, change: Callable[[Lines], object], said: str
) -> None:
    lines = raw_records(run)
    change(lines)
    write(run, lines)
    found = gate(run, "f1>=0.1", "--gate-partial")
    assert found.exit_code == 2
    assert said in found.output
    assert "restore it from a copy, or make the run again" in found.output


@pytest.mark.parametrize("name", ["manifest.json", "summary.json"])
def test_a_run_without_manifest_or_summary_is_refused(run: Path, name: str) -> None:
    (run / name).unlink()
    found = gate(run, "f1>=0.1", "--gate-partial")
    assert found.exit_code == 2
    assert f"there is no {name}" in found.output


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("summary.json", {"cases_sha256": "0" * 64}, "summary.json is of other cases than records.jsonl"),
        ("summary.json", {"scores_sha256": "0" * 64}, "summary.json is of other scores than records.jsonl"),
        ("summary.json", {"cases": 800}, "summary.json says cases 800, and records.jsonl gives 20"),
        ("summary.json", {"passed": 20}, "summary.json says passed 20, and records.jsonl gives 10"),
        ("summary.json", {"means": {}}, "summary.json has no mean f1"),
        ("manifest.json", {"cases": 10}, "manifest.json plans 10 cases, and records.jsonl has 20"),
        (
            "manifest.json",
            {"counts": {"planned": 20, "selected": 20, "run": 18, "lost": 0}},
            "manifest.json counts 18 cases as run, and the other files 20",
        ),
        (
            "manifest.json",
            {"counts": {"planned": 20, "selected": 20, "run": 20, "passed": 20}},
            "manifest.json counts 20 cases as passed, and the other files 10",
        ),
        ("manifest.json", {"models": []}, "manifest.json has no model m"),
        ("manifest.json", {"prompts": {"P4": "0"}}, "manifest.json has no prompt P5"),
    ],
)
def test_a_manifest_or_summary_of_another_run_is_refused(
    run: Path, name: str, change: dict[str, Any], said: str
) -> None:
    edit(run, name, lambda page: page.update(change))
    found = gate(run, "f1>=0.1", "--gate-partial")
    assert found.exit_code == 2
    assert said in found.output


@pytest.mark.parametrize(
    "change",
    [
        lambda page: page["graph"].update(fingerprint="b" * 64),
        lambda page: page["options"].update(query_timeout=60.0),
        lambda page: page["models"][0].update(argument="another"),
        lambda page: page.update(judge={"model": {"label": "j"}, "criteria": "c" * 64}),
    ],
)
def test_a_manifest_of_other_conditions_than_the_run_is_refused(
    run: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    again = run.with_name("again")
    assert command("rescore", run, "--out", again, "--workers", 1).exit_code == 0
    assert gate(again, "f1>=0").exit_code == 0
    edit(again, "manifest.json", change)
    found = gate(again, "f1>=0", "--gate-partial")
    assert found.exit_code == 2
    assert "manifest.json names other conditions than those that summary.json was made under" in found.output


def test_judgements_of_another_judge_than_the_manifest_names_are_refused(tmp_path: Path) -> None:
    asked = [question(number) for number in range(COUNT)]
    named = {"label": "k", "kind": "openai", "argument": "model-k"}
    facts = {"model": named, "api": None, "criteria": "c" * 64, "rows": 0}
    records = [case(each, 1.0, judge=judged(0.9)) for each in asked]
    run = whole_run(tmp_path / "run", records, asked, manifest_of(cases=COUNT, judge=facts))
    found = gate(run)
    assert found.exit_code == 2
    assert "j judged it by the criteria cccccccccccc, and manifest.json names k" in found.output


def test_a_baseline_that_does_not_agree_is_refused_and_not_saved(run: Path, tmp_path: Path) -> None:
    before = run_of(tmp_path / "before", [1.0, 0.5] * (COUNT // 2))
    (before / "summary.json").unlink()
    found = gate(run, "no-regression f1", "--baseline", str(before))
    assert found.exit_code == 2
    assert "there is no summary.json" in found.output
    saved = command("baseline", "save", before, "b")
    assert saved.exit_code == 2


def test_another_phrasing_is_another_question_set(tmp_path: Path) -> None:
    before = run_of(tmp_path / "before", [1.0] * COUNT)
    now = run_of(tmp_path / "now", [1.0] * COUNT, phrasing=2)
    found = gate(now, "no-regression f1", "--baseline", str(before))
    assert found.exit_code == 1
    assert "They differ in --phrasing: 1 and 2" in found.output
    compared = command("compare", before, now)
    assert compared.exit_code == 2
    assert command("compare", before, now, "--on-common").exit_code == 0


def test_a_part_is_judged_where_the_baseline_has_its_cases(tmp_path: Path) -> None:
    before = run_of(tmp_path / "before", [1.0, 0.0] * COUNT)
    part = run_of(tmp_path / "part", [1.0, 0.0] * (COUNT // 2), manifest={"options": {"sample": COUNT}})
    rules = ("f1>=0.1", "no-regression f1 margin=0.2")
    held = gate(part, *rules, "--baseline", str(before))
    assert held.exit_code == 0, held.output
    assert "judged on a partial run: a sample of 20 questions" in held.output
    assert "20 cases of the baseline have no partner in this run" in held.output
    # Nothing says which cases there should be, or the baseline lacks some.
    assert gate(part, "f1>=0.1").exit_code == 1
    fewer = run_of(tmp_path / "fewer", [1.0, 0.0] * (COUNT // 2 - 1))
    refused = gate(part, *rules, "--baseline", str(fewer))
    assert refused.exit_code == 1
    lacks = f"baseline {fewer} lacks some of its cases"
    assert f"the run is partial: a sample of 20 questions; {lacks}" in refused.output
    # A run that was cut short is no part that somebody chose.
    edit(part, "summary.json", lambda page: page.update(selected_cases=COUNT + 5))
    edit(part, "manifest.json", lambda page: page.update(cases=COUNT + 5))
    cut = gate(part, *rules, "--baseline", str(before))
    assert cut.exit_code == 1
    assert "20 of 25 selected cases were run" in cut.output


def rehashed(folder: Path, change: Callable[[list[list[str]]], object], **page: Any) -> None:
    """Change the table of a baseline, and correct its hash."""
    file, about = folder / "cases.csv.gz", folder / "baseline.json"
    table = [line.split(",") for line in gzip.decompress(file.read_bytes()).decode().splitlines()]
    change(table)
    content = "".join(",".join(line) + "\n" for line in table).encode()
    file.write_bytes(gzip.compress(content))
    known = json.loads(about.read_text())
    about.write_text(json.dumps({**known, "cases_sha256": hashlib.sha256(content).hexdigest(), **page}))


def scored(value: str) -> Callable[[list[list[str]]], object]:
    return lambda table: table[1].__setitem__(table[0].index("f1"), value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (scored("500"), "f1 of conditions-001 is 500.0, and must be from 0 to 1"),
        (scored("nan"), "f1 of conditions-001 is nan, and must be from 0 to 1"),
        (scored("-1"), "must be from 0 to 1"),
        (scored(""), "conditions-001 has no f1"),
        (scored("0"), "says mean F1 0.75, and the table gives 0.725"),
        (lambda table: table.append(table[1]), "a case occurs more than once"),
        (lambda table: table.pop(), "counts 20 cases, and the table has 19"),
    ],
)
def test_a_baseline_that_was_changed_is_refused_although_its_hash_fits(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[..., object], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command("baseline", "save", run, "main").exit_code == 0
    rehashed(tmp_path / "reports" / "baselines" / "main", change)
    found = gate(run, "no-regression f1", "--baseline", "main")
    assert found.exit_code == 2
    assert said in found.output


def test_the_command_that_baseline_save_prints_runs_the_same_cases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester
) -> None:
    pytester.plugins = ["retrocypher.plugins.pytest_plugin"]
    given = ["--model=mutant", "--model=b=gpt 4", "--prompt=P5", "--shot=all", "--sample=20", "--phrasing=1"]
    given += [
        "--seed=7",
        "--query-timeout=5",
        "--run-dir=x",
        "--cache=none",
        "--gate=f1>=0",
        "--gate-partial",
    ]
    given += ["--metrics=ex,psjs", "--cypherbench-compat"]
    wanted = read_options(pytester.parseconfig(*given))
    key = {"parts": {"selection": {"arguments": ["benchmarks"], "keyword": "precursors and not multi"}}}
    manifest = {"options": {**fields_of(wanted), "case_threshold": 1.0}, "key": key}
    run = run_of(tmp_path / "run", [1.0] * COUNT, manifest=manifest)
    monkeypatch.chdir(tmp_path)
    printed = command("baseline", "save", run, "main").output
    program, where, *arguments = shlex.split(printed.partition("To compare a run with it: ")[2])
    assert (program, where) == ("pytest", "benchmarks")
    config = pytester.parseconfig(*arguments)
    assert config.option.keyword == "precursors and not multi"
    found = read_options(config)
    assert found.gate == ("no-regression f1 margin=0.02",)
    assert found.baseline == "main"
    apart = {"gate": wanted.gate, "baseline": None, "gate_partial": True, "run_dir": "x", "cache": "none"}
    assert replace(found, **apart) == wanted
