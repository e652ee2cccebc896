"""`retrocypher allure` and `retrocypher report`."""

import json
from pathlib import Path

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


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["allure", str(tmp_path)])
    assert str(done.exception) == f"{tmp_path}: no records.jsonl here; name the folder of a run"
    assert not (tmp_path / "allure-results").exists()


def test_it_says_what_it_wrote(tmp_path: Path) -> None:
    run = a_run(tmp_path / "run")
    result = CliRunner().invoke(report_command, [str(run), "--cases", "2"])
    assert result.exit_code == 0, result.output
    assert "120 cases, 40 failed, 0 not run" in result.output
    assert str(run / "report.html") in result.output
    assert (run / "report.html").is_file()
    options = ["--cases", "2", "--json", "--out", str(tmp_path / "x.html")]
    result = CliRunner().invoke(report_command, [str(run), *options])
    told = json.loads(result.output)
    page = (CHECKOUT / "docs" / "commands.md").read_text("utf-8")
    paragraph = page.split("### retrocypher report")[1].split("\n###")[0]
    assert all(f"`{name}`" in paragraph for name in told)
    assert (told["failed"], told["listed"]) == (40, 2)
    assert told["bytes"] == Path(told["page"]).stat().st_size < 5_000_000
    assert told["pages"] == len([*Path(told["folder"]).glob("*.html")])
    assert told["pages_bytes"] == sum(each.stat().st_size for each in Path(told["folder"]).glob("*.html"))


@pytest.mark.parametrize("name", ["", "typo"])
def test_what_is_no_run_is_an_error_for_the_user(tmp_path: Path, name: str) -> None:
    result = CliRunner().invoke(report_command, [str(tmp_path / name)])
    assert isinstance(result.exception, InputError)
    assert "name the folder of a run" in str(result.exception)
    assert not [*tmp_path.iterdir()]
