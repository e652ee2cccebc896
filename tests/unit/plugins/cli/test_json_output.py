"""What commands print for programs."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.records import record_of, write_run

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.plugins.cli.main import cli, main

BANK = str(Path(__file__).parents[2] / "data" / "bank")
SCORES = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "unmatched_columns": []}


def asked(*arguments: str) -> Any:
    done = CliRunner().invoke(cli, [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_labels() -> None:
    assert [each["name"] for each in asked("labels", "list")["labels"]] == list(LABELS)


def test_what_a_bank_holds() -> None:
    told = asked("bank", "show", "--bank", BANK)
    assert told["entries"] == sum(told["by_kind"].values())
    assert told["entries"] == sum(each["entries"] for each in told["operators"].values())
    assert all(sum(each["by_task"].values()) == each["entries"] for each in told["operators"].values())


def test_a_table_of_runs(tmp_path: Path) -> None:
    execution = {"status": "ok", "row_count": 1}
    record = record_of("a", scores=SCORES, passed=True, execution=execution)
    run = write_run(tmp_path / "run", [record], manifest={"cases": 2, "exit_status": 2})
    svg = tmp_path / "a.svg"
    told = asked("summary", str(run), "--svg", str(svg))
    assert told["runs"] == [{"run": str(run), "cases": 1, "lacks": "1 of 2 cases; interrupted"}]
    assert told["summary"]["means"]["f1"] == 1.0
    assert told["ledger"] is None
    assert svg.exists()


def test_a_wrong_input_is_a_line_on_stderr_with_json_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.argv", ["retrocypher", "summary", str(tmp_path), "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1
