"""The labels on the command line."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from kg.errors import InputError
from kg.labels import LABELS
from kg.questions import load_questions
from plugins.bank import Bank, BankEntry, write_bank
from plugins.command._labels import labels_evaluate_command, labels_list_command

QUESTION = load_questions().questions[0]
TURNED = BankEntry(
    question_id=QUESTION.id,
    task=QUESTION.task,
    operator="reverse_arrow",
    place=0,
    kind="error",
    label="traversal_direction",
    base="",
    cypher=QUESTION.reference_cypher.replace("-[:PRODUCES]->(target", "<-[:PRODUCES]-(target"),
    execution={"status": "ok", "code": None, "message": None, "columns": ["id"], "rows": []}
    | {"row_count": 0, "truncated": False, "time_s": 0.0},
    scores={"f1": 0.0, "row_f1": 0.0, "per_key": {}},
    held_out=False,
)
MISNAMED = replace(TURNED, operator="other", label="path_length")
NEUTRAL = replace(TURNED, operator="rename", kind="neutral", label=None)
HELD_OUT = replace(TURNED, held_out=True)


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    entries = (TURNED, MISNAMED, NEUTRAL, HELD_OUT)
    write_bank(Bank(entries, {}, frozenset(), frozenset(), seed=0), tmp_path)
    return tmp_path


def test_planted_errors_of_the_development_part_are_evaluated(bank: Path) -> None:
    result = CliRunner().invoke(labels_evaluate_command, ["--bank", str(bank)])
    assert result.exit_code == 0
    assert "planted error is the primary label           50.00 % of 2" in result.output
    assert "1  other: path_length was labelled traversal_direction, empty_result" in result.output
    assert "ms a case" in result.output


def test_the_held_out_part_is_taken_only_where_it_is_asked_for(bank: Path) -> None:
    result = CliRunner().invoke(labels_evaluate_command, ["--bank", str(bank), "--held-out"])
    assert "planted error is the primary label          100.00 % of 1" in result.output


def test_a_folder_without_a_bank_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    result = CliRunner().invoke(labels_evaluate_command, ["--bank", str(tmp_path)])
    assert isinstance(result.exception, InputError)
    assert "retrocypher bank build" in str(result.exception)


def test_the_sample_can_be_evaluated_and_read_at_80_columns() -> None:
    sample = Path(__file__).parents[2] / "data" / "bank"
    result = CliRunner().invoke(labels_evaluate_command, ["--bank", str(sample)], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    assert "development part of" in result.output
    assert "Planted -> primary, where they differ:" in result.output
    assert "…" not in result.output
    assert all(len(line) <= 80 for line in result.output.splitlines())


def test_every_label_is_listed() -> None:
    result = CliRunner().invoke(labels_list_command)
    assert all(f" {label} " in result.output for label in LABELS)
