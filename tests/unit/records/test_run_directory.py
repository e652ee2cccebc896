"""The run directory: written as it happens, never over another run."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from kg.errors import InputError
from plugins.records import Record, RunDirectory, new_run_path, read_records


def record(case_id: str) -> Record:
    return Record(
        case_id, "q", "precursors", "single_step", 1, "P5", "ZS", "none", "m", None, "?", "RETURN 1"
    )


def test_a_record_is_on_disk_before_the_run_ends(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "run")
    run.write_record(json.dumps(record("a").to_json()), {"h": [{"role": "user", "content": "?"}]})
    run.write_record(json.dumps(record("b").to_json()), {"h": [{"role": "user", "content": "?"}]})
    assert [line["case_id"] for line in read_records(tmp_path / "run")] == ["a", "b"]
    assert len((tmp_path / "run" / "messages.jsonl").read_text().splitlines()) == 1
    run.close()


def test_a_folder_with_a_run_is_refused(tmp_path: Path) -> None:
    RunDirectory(tmp_path).close()
    with pytest.raises(InputError, match="holds a run already"):
        RunDirectory(tmp_path)


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(InputError, match="holds other files"):
        RunDirectory(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"--run-dir .*file.*: cannot be written to"):
        RunDirectory(tmp_path / "file" / "run")


def test_a_run_that_never_started_leaves_nothing(tmp_path: Path) -> None:
    RunDirectory(tmp_path / "run").discard()
    assert list(tmp_path.iterdir()) == []


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text('{"case_id": "a"}\n{"case_id"\n')
    with pytest.raises(InputError, match="line 2: not JSON"):
        list(read_records(tmp_path))


def test_two_runs_in_one_second_get_two_folders(tmp_path: Path) -> None:
    now = datetime(2026, 1, 2, 3, 4, 5)
    first = new_run_path(tmp_path, ["oracle", "local"], now)
    first.mkdir()
    assert first.name == "20260102-030405-oracle+local"
    assert new_run_path(tmp_path, ["oracle", "local"], now).name == f"{first.name}-2"


def test_a_summary_is_replaced_whole(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path)
    run.write_summary({"a": 1})
    run.write_summary({"a": 2})
    assert json.loads((tmp_path / "summary.json").read_text()) == {"a": 2}
    assert not list(tmp_path.glob("*.partial"))


def test_half_a_character_of_a_model_is_kept_in_what_is_written(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "run")
    run.write_manifest({"once": "cut \ud83d"})
    run.close()
    assert json.loads((tmp_path / "run" / "manifest.json").read_text()) == {"once": "cut \ud83d"}


def test_a_record_starts_with_its_schema_version_and_has_every_field() -> None:
    line = record("a").to_json()
    assert next(iter(line)) == "schema_version"
    assert set(line) == {
        *("schema_version", "case_id", "question_id", "task", "setting", "steps", "prompt", "shot", "loop"),
        *("model", "exemplar_id", "question", "reference_cypher", "rounds", "cypher", "execution", "scores"),
        *("errors", "judge", "answer", "phrasing", "claims", "infrastructure_error", "passed"),
    }
