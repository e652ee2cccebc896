import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.manifests import manifest_of
from support.records import record_of, write_run

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.main import cli

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
