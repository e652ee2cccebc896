"""`retrocypher summary`, `allure` and `report`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.manifests import manifest_of
from support.records import record_of, write_run
from support.reported import a_run
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.cli.report import report_command
from retrocypher.plugins.cli.runs import summary_command
from retrocypher.plugins.runs.record import Round


def run_of(folder: Path, *models: str, of: tuple[str, ...] = ("a", "b"), **manifest: Any) -> Path:
    scores = {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    right = {"passed": True, "execution": {"status": "ok"}, "scores": scores}
    names = [(f"{case}-P5-ZS-none-{model}", model) for model in models for case in of]
    records = [record_of(name, model=model, **right) for name, model in names]
    whole = {"cases": len(records), "exit_status": 0, "models": [{"label": model} for model in models]}
    return write_run(folder, records, manifest={**whole, **manifest})


def printed(*arguments: object) -> str:
    result = CliRunner().invoke(summary_command, [str(each) for each in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_tables_come_in_the_order_of_the_runs(tmp_path: Path) -> None:
    oracle, exemplar = run_of(tmp_path / "o", "oracle"), run_of(tmp_path / "e", "exemplar")
    two = run_of(tmp_path / "t", "mini", "big")
    output = printed(oracle, two, exemplar)
    titles = ["oracle", "mini", "big", "exemplar"]
    assert [line.strip() for line in output.splitlines() if line.strip() in titles] == titles
    assert output.index(f"records: {oracle}") < output.index(f"records: {two}")


def test_runs_with_one_case_are_refused_by_name(tmp_path: Path) -> None:
    run = run_of(tmp_path / "o", "oracle")
    with pytest.raises(InputError, match="o is named twice"):
        printed(run, tmp_path / "o" / ".." / "o")
    first = run_of(tmp_path / "first", "mini", of=("a", "b"))
    second = run_of(tmp_path / "second", "mini", of=("b", "c"))
    with pytest.raises(InputError) as raised:
        printed(first, second)
    said = str(raised.value)
    assert said.startswith(f"{first} and {second} both have the case b-P5-ZS-none-mini")
    assert "--model LABEL=SPEC" in said
    # Of one model with other cases they are one table.
    assert printed(first, run_of(tmp_path / "3", "mini", of=("c",))).count("precursors") == 1


@pytest.mark.parametrize(
    ("manifest", "selected", "said"),
    [
        ({"cases": 2400, "exit_status": 2}, None, "2 of 2,400 cases; interrupted"),
        ({"cases": 2400, "exit_status": None}, None, "2 of 2,400 cases; not ended"),
        ({"exit_status": 16}, None, "incomplete"),
        ({"cases": 2400, "exit_status": 1}, 3, "2 of 3 cases"),
        ({}, None, ""),
        ({"cases": 2400}, 2, ""),
    ],
)
def test_a_run_that_is_not_whole_is_marked(
    tmp_path: Path, manifest: dict[str, Any], selected: int | None, said: str
) -> None:
    run = run_of(tmp_path / "r", "mini", **manifest)
    if selected is not None:
        (run / "summary.json").write_text(json.dumps({"selected_cases": selected}))
    output = printed(run, run_of(tmp_path / "o", "oracle"))
    assert (f"mini ({said})" in output) == bool(said)
    assert (f"records: {run} ({said})" in output) == bool(said)
    assert output.count("(") == 2 * bool(said)


def test_a_picture_that_cannot_be_written_is_told_before_any_work(tmp_path: Path) -> None:
    for place in (tmp_path / "nowhere" / "x.svg", tmp_path):
        with pytest.raises(InputError, match=r"--svg .*cannot be written"):
            printed(tmp_path / "absent", "--svg", place)
    run = run_of(tmp_path / "r", "mini")
    # Records alone are enough.
    (run / "manifest.json").unlink()
    printed(run, "--svg", tmp_path / "x.svg")
    assert "mini" in (tmp_path / "x.svg").read_text()


def test_intervals_are_by_molecule_within_100_columns(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    # Six questions of a task, each about another molecule.
    lines = printed(run).splitlines()
    (first, *_) = (line for line in lines if "precursors" in line)
    assert re.search(r" 0\.\d\d\N{EN DASH}\d\.\d\d +n/a 1\.000 ", first)
    assert max(len(line) for line in lines if not line.startswith(("records", "primary"))) <= 100
    asked = [json.loads(line) for line in (run / "questions.jsonl").read_text().splitlines()]
    for question in asked:
        question["target"] = "C"
        question["slots"] |= {"target": "C", "products": ["C", "CC"]}
    same = "".join(json.dumps(question) + "\n" for question in asked)
    (run / "questions.jsonl").write_text(same)
    assert "\N{EN DASH}" not in printed(run)


def looped_run(folder: Path, **manifest: Any) -> Path:
    """A run of two loops in which one case was repaired by each."""
    rounds = []
    for role, f1, errors in (("generator", 0.5, ["limit"]), ("corrector", 1.0, [])):
        scores = dict.fromkeys(("f1", "precision", "recall", "row_f1", "focus_f1"), f1)
        result = {"status": "ok", **scores, "passed": not errors, "errors": errors}
        rounds.append(Round(role, "h", "", role, findings=[{"result": result}], time_s=1.0))
    right = {"scores": {"f1": 1.0, "precision": 1.0, "recall": 1.0}, "passed": True, "rounds": rounds}
    records = [record_of(f"q-{loop}", loop=loop, model="mini", **right) for loop in ("cove", "review")]
    (question,) = load_questions().questions[:1]
    return write_run(folder, records, [question], {"cases": 2, "exit_status": 0, **manifest})


def test_the_ledger_is_shown_again_from_the_records(tmp_path: Path) -> None:
    players = {"mini": {"label": "corrector", "kind": "openai", "argument": "gpt-x"}}
    loops = {"names": ["review", "cove"], "players": players}
    run = looped_run(tmp_path / "r", loops=loops, prices=None)
    output = printed(run, "--ledger")
    assert "repaired 1.000 of 1 wrong, broken n/a of 0 right" in output
    assert output.count("no list price for gpt-x") == 2
    # In the order in which the loops were asked for, the tables as the ledger.
    assert output.index("mini, loop review") < output.index("mini, loop cove")
    assert output.index("loop review: before and after") < output.index("loop cove: before and after")
    assert "before and after" not in printed(run)
    priced = {"as_of": "2026-01", "usd_per_million_tokens": {"gpt-x": {}}}
    assert "no list price" not in printed(looped_run(tmp_path / "p", loops=loops, prices=priced), "--ledger")


def test_a_ledger_of_runs_without_loops_or_questions(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", "mini")
    (run / "questions.jsonl").unlink()
    with pytest.raises(InputError, match=r"no questions\.jsonl here"):
        printed(run, "--ledger")
    (run / "questions.jsonl").write_text("")
    assert "ledger: no case went through a loop" in printed(run, "--ledger")


QUESTION = load_questions().questions[0]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    record = record_of(f"{QUESTION.id}-P5-ZS-none-m", of=QUESTION, passed=True)
    return write_run(tmp_path / "run", [record], [QUESTION], manifest_of())


def test_results_go_into_the_run_or_where_they_are_wanted(run: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["allure", str(run)])
    assert done.output == f"Allure results: {run / 'allure-results'} (1 case)\n"
    assert len(list((run / "allure-results").glob("*-result.json"))) == 1
    done = CliRunner().invoke(cli, ["allure", str(run), "--out", str(tmp_path / "out"), "--json"])
    page = {"page": None, "page_bytes": None, "history_runs": None}
    assert json.loads(done.output) == {"results": str(tmp_path / "out"), "cases": 1, "lost": 0, **page}


def test_it_says_what_it_wrote(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    result = CliRunner().invoke(report_command, [str(run), "--cases", "2"])
    assert result.exit_code == 0, result.output
    assert "120 cases, 40 failed, 0 not run" in result.output
    assert str(run / "report.html") in result.output
    assert (run / "report.html").is_file()
    options = ["--cases", "2", "--json", "--out", str(tmp_path / "x.html")]
    result = CliRunner().invoke(report_command, [str(run), *options])
    data = json.loads(result.output)
    page = (CHECKOUT / "docs" / "commands.md").read_text("utf-8")
    paragraph = page.split("### retrocypher report")[1].split("\n###")[0]
    assert all(f"`{name}`" in paragraph for name in data)
    assert (data["failed"], data["listed"]) == (40, 2)
    assert data["bytes"] == Path(data["page"]).stat().st_size < 5_000_000
    assert data["pages"] == len([*Path(data["folder"]).glob("*.html")])
    assert data["pages_bytes"] == sum(each.stat().st_size for each in Path(data["folder"]).glob("*.html"))
