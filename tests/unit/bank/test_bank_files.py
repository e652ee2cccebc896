"""Banks on disk."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from kg.errors import InputError
from kg.questions import load_questions
from plugins.bank import (
    Bank,
    BankEntry,
    bank_folder,
    bank_key,
    load_bank,
    read_entries,
    read_manifest,
    write_bank,
)
from plugins.command._bank import bank_build_command, bank_sample_command, bank_show_command

ENTRY = BankEntry(
    question_id="precursors-001",
    task="precursors",
    operator="reverse_arrow",
    place=2,
    kind="error",
    label="traversal_direction",
    base="",
    cypher="MATCH (a)\u2028 RETURN 'ü'",
    execution={"status": "ok", "code": None, "message": None, "columns": ["a"], "rows": [["\u2028"]]}
    | {"row_count": 1, "truncated": False, "time_s": 0.0},
    scores={"f1": 0.0, "row_f1": 0.0},
    held_out=False,
)
BANK = Bank(
    entries=(ENTRY, replace(ENTRY, question_id="precursors-002", held_out=True)),
    dropped={"reverse_arrow": {"no effect": 3}},
    held_out_questions=frozenset({"precursors-002"}),
    held_out_operators=frozenset(),
    seed=0,
)


def test_the_parts_lie_in_files_of_their_own(tmp_path: Path) -> None:
    write_bank(BANK, tmp_path)
    assert load_bank(folder=tmp_path) == (ENTRY,)
    assert load_bank("held_out", tmp_path) == (BANK.entries[1],)
    assert read_manifest(tmp_path)["dropped"] == BANK.dropped
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    write_bank(BANK, tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_bank_that_is_not_there_is_an_error_with_the_remedy(tmp_path: Path) -> None:
    for read in (lambda: load_bank(folder=tmp_path), lambda: read_manifest(tmp_path)):
        with pytest.raises(
            InputError, match="holds no bank of known errors; make one with `retrocypher bank"
        ):
            read()


def test_another_seed_question_or_server_is_another_bank(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    questions = load_questions()
    keys = {
        bank_key(questions),
        bank_key(questions, 1),
        bank_key(questions, server="5.27.0"),
        bank_key(replace(questions, sha256="0" * 64)),
        bank_key(replace(questions, fingerprint="0" * 64)),
    }
    assert len(keys) == 5
    assert bank_key(questions, server="5.26.99") == bank_key(questions)
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    assert bank_folder(questions) == tmp_path / "bank" / bank_key(questions)[:16]


def test_the_command_shows_counts_and_writes_a_sample(tmp_path: Path) -> None:
    write_bank(BANK, tmp_path / "bank")
    shown = CliRunner().invoke(bank_show_command, ["--out", str(tmp_path / "bank")])
    assert shown.exit_code == 0, shown.output
    assert "3 no effect" in shown.output
    assert "2 entries: 2 error (1 operators); 1 of them held out" in shown.output
    arguments = ["--out", str(tmp_path / "bank"), "--to", str(tmp_path / "sample")]
    assert CliRunner().invoke(bank_sample_command, arguments).exit_code == 0
    assert read_entries(tmp_path / "sample" / "development.jsonl.gz") == (ENTRY,)
    assert read_entries(tmp_path / "sample" / "held_out.jsonl.gz") == BANK.entries[1:]


def test_a_bank_in_the_cache_is_not_built_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    folder = bank_folder(load_questions())
    write_bank(BANK, folder)
    built = CliRunner().invoke(bank_build_command, [])
    assert built.exit_code == 0
    assert f"built already: {folder}" in built.output
    assert load_bank() == (ENTRY,)
