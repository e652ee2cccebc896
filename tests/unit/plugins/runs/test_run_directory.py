"""The run directory: written as it happens, never over another run."""

import json
from datetime import datetime
from pathlib import Path

import pytest
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.run_directory import RunDirectory, new_run_path


def test_a_record_is_on_disk_before_the_run_ends(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "run")
    run.write_record(json_line(record_of("a")), {"h": [{"role": "user", "content": "?"}]})
    run.write_record(json_line(record_of("b")), {"h": [{"role": "user", "content": "?"}]})
    assert [record.case_id for record in RunLog(tmp_path / "run").records()] == ["a", "b"]
    assert len((tmp_path / "run" / "messages.jsonl").read_text().splitlines()) == 1
    run.close()


def test_a_folder_with_a_run_is_refused(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as run:
        run.write_record("{}", {})
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
    file = write_run(tmp_path, [record_of("a")]) / "records.jsonl"
    file.write_text(file.read_text() + '{"case_id"\n')
    with pytest.raises(InputError, match="line 2: not JSON"):
        list(RunLog(tmp_path).records())


def test_half_a_record_at_the_end_of_a_killed_run_is_none(tmp_path: Path) -> None:
    file = write_run(tmp_path, [record_of("a"), record_of("b")]) / "records.jsonl"
    whole = file.read_bytes()
    for end in range(len(whole) // 2 + 1, len(whole) - 1):
        file.write_bytes(whole[:end])
        assert [each.case_id for each in RunLog(tmp_path).records()] == ["a"]
    # The record is there; only its line's end is not.
    file.write_bytes(whole[:-1])
    assert [each.case_id for each in RunLog(tmp_path).records()] == ["a", "b"]


def test_records_of_another_schema_version_are_refused(tmp_path: Path) -> None:
    write_run(tmp_path, [record_of("a"), record_of("b", schema_version=0)])
    with pytest.raises(InputError, match=r"records\.jsonl, line 2: schema version 0, .* reads 1; use the"):
        list(RunLog(tmp_path).records())


def test_what_a_run_wrote_is_read_again(tmp_path: Path) -> None:
    question = load_questions().questions[0]
    asked = [{"role": "user", "content": question.text}]
    write_run(tmp_path, [], [question], manifest={"cases": 1}, summary={"passed": 1}, messages={"h": asked})
    log = RunLog(tmp_path)
    assert log.questions == {question.id: question}
    assert log.targets == {question.id: question.target}
    assert log.messages == {"h": asked}
    assert log.manifest.cases == 1
    assert log.summary.passed == 1
    assert log.summary_json == {"passed": 1}


def test_a_manifest_of_another_schema_version_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, [], manifest={"schema_version": 2})
    with pytest.raises(InputError, match=r"manifest\.json: schema version 2"):
        RunLog(tmp_path).manifest  # noqa: B018


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
    line = json.loads(json_line(record_of("a")))
    assert next(iter(line)) == "schema_version"
    assert set(line) == {
        *("schema_version", "case_id", "question_id", "task", "setting", "steps", "prompt", "shot", "loop"),
        *("model", "exemplar_id", "question", "reference_cypher", "rounds", "cypher", "execution", "scores"),
        *("errors", "judge", "answer", "phrasing", "claims", "infrastructure_error", "passed", "graph_calls"),
        *("verification",),
    }
