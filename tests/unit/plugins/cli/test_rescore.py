"""``retrocypher rescore`` as a user types it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.records import record_of, write_run
from support.schemas import DEFAULT_SCHEMA_TEXT

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.cli.main import cli

QUESTION = load_questions().questions[0]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    scores = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "bleu": 1.0}
    execution = {"status": "no_query", "code": None, "columns": [], "rows": []}
    record = record_of("a\x1b[31m", of=QUESTION, execution=execution, scores=scores, passed=True)
    options = {"case_threshold": 1.0, "key_encoder": None}
    manifest = {"graph": {"schema": DEFAULT_SCHEMA_TEXT}, "options": options}
    return write_run(tmp_path / "run", [record], [QUESTION], manifest)


def said(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["rescore", *map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_what_changed_is_printed_and_nothing_written(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    before = (run / "records.jsonl").read_bytes()
    output = said(run)
    assert "1 case changed: errors in 1, passed in 1, scores in 1" in output
    assert "passed: 1 before, 0 now" in output
    assert "a\\x1b[31m fails: F1 1.000, now 0.000" in output
    assert "no_query" in output
    assert "\x1b[31m" not in output
    assert "nothing was written" in output
    assert max(map(len, output.splitlines())) <= 80 or str(run) in output
    assert (run / "records.jsonl").read_bytes() == before


def test_json_and_a_new_folder(run: Path, tmp_path: Path) -> None:
    told = json.loads(said(run, "--json", "--out", tmp_path / "new"))
    assert (told["changed"], told["written"]) == (1, str(tmp_path / "new"))
    assert "nothing changed" in said(tmp_path / "new")


def test_one_place_at_a_time(run: Path) -> None:
    with pytest.raises(InputError, match="--out and --in-place"):
        said(run, "--out", "x", "--in-place")
