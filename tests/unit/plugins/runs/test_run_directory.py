"""The run directory: whole lines, written as they happen, by one process, never over another run."""

import json
import os
import socket
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import record_of, write_run
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.runs.files import LineFile, json_line, json_page, truncate_partial_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import (
    Git,
    KeyEntry,
    Machine,
    Manifest,
    ModelEntry,
    code_facts,
    machine,
)
from retrocypher.plugins.runs.run_directory import RunDirectory, new_run_path

HOLDS = """
import sys
from pathlib import Path
from retrocypher.plugins.runs.run_directory import RunDirectory

run = RunDirectory(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_record_is_on_disk_before_the_run_ends(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "run")
    for name in ("a", "b"):
        run.write_record(json_line(record_of(name)), {"h": [{"role": "user", "content": "?"}]})
    assert [record.case_id for record in RunLog(tmp_path / "run").records()] == ["a", "b"]
    assert len((tmp_path / "run" / "messages.jsonl").read_text().splitlines()) == 1
    run.close()


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(InputError, match="holds other files"):
        RunDirectory(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(InputError, match=r"--run-dir .*notes.txt.*: cannot be written to"):
        RunDirectory(tmp_path / "notes.txt" / "run")


def test_a_folder_with_a_run_is_refused_and_not_held(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as run:
        run.write_record("{}", {})
    for _ in range(2):
        with pytest.raises(InputError, match="holds a run already"):
            RunDirectory(tmp_path)
    assert not (tmp_path / "run.lock").exists()


def test_the_process_that_holds_a_run_is_named_and_a_killed_one_holds_nothing(tmp_path: Path) -> None:
    run = tmp_path / "run"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS, run], cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    with holder.stdin, holder.stdout:
        assert holder.stdout.readline() == b"held\n"
        for resume in (False, True):
            with pytest.raises(
                InputError, match=rf"process {holder.pid} on {socket.gethostname()} \(since 2"
            ):
                RunDirectory(run, resume=resume)
        holder.kill()
        holder.wait()
    assert (run / "run.lock").exists()
    with RunDirectory(run), pytest.raises(InputError, match=f"process {os.getpid()} on"):
        RunDirectory(run)
    assert not (run / "run.lock").exists()


def test_a_run_that_never_started_leaves_nothing(tmp_path: Path) -> None:
    RunDirectory(tmp_path / "run").discard()
    assert list(tmp_path.iterdir()) == []


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
    with RunDirectory(tmp_path / "run") as run:
        run.write_manifest({"once": "cut \ud83d"})
    assert json.loads((tmp_path / "run" / "manifest.json").read_text()) == {"once": "cut \ud83d"}


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    question = load_questions().questions[0]
    asked = [{"role": "user", "content": question.text}]
    manifest = Manifest(
        started="2025-01-02T03:04:05+00:00",
        models=[ModelEntry("m", "gguf", "m.gguf", "a" * 64), ModelEntry("oracle", "oracle")],
        machine=machine("17.0.1"),
        git=Git("0" * 40, True),
        key=KeyEntry("b", {"seed": 2**70}),
    )
    write_run(tmp_path, [], [question], summary={"passed": 1}, messages={"h": asked})
    (tmp_path / "manifest.json").write_text(json_page(manifest))
    log = RunLog(tmp_path)
    assert log.questions == {question.id: question}
    assert log.targets == {question.id: question.target}
    assert log.messages == {"h": asked}
    assert (log.summary.passed, log.summary_json) == (1, {"passed": 1})
    assert log.manifest == manifest
    assert "file_sha256" not in log.manifest_json["models"][1]
    assert "counts" not in log.manifest_json


def test_a_manifest_describes_code_and_machine(tmp_path: Path) -> None:
    facts = code_facts(tmp_path)
    assert facts["git"] is None
    assert facts["versions"]["neo4j-driver"]
    found = machine()
    assert found.cores
    assert found.memory_gib
    assert found.os
    assert found.java is None


def test_the_page_has_every_field_of_a_manifest() -> None:
    page = (CHECKOUT / "docs" / "records.md").read_text(encoding="utf-8").partition("## manifest.json")[2]
    names = [*Manifest.__struct_fields__, *Machine.__struct_fields__, "by_model", "served"]
    assert [name for name in names if f"`{name}`" not in page] == []


_LINES = st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=3), max_size=5)
_FILLS_UP = """
import pathlib, resource, sys
from retrocypher.plugins.runs.files import LineFile

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
file = LineFile(pathlib.Path(sys.argv[1]))
for number in range(100):
    try:
        file.append('{"number": %d, "text": "%s"}' % (number, "x" * 100))
    except OSError as error:
        print(number, error.strerror)
        break
file.append("{}")
"""


@given(lines=_LINES, cut=st.integers(min_value=0))
def test_a_file_cut_anywhere_keeps_its_whole_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, str]], cut: int
) -> None:
    file = tmp_path_factory.mktemp("cut") / "lines"
    written = [json.dumps(line).encode() for line in lines]
    content = b"".join(line + b"\n" for line in written)
    content = content[: cut % (len(content) + 1)]
    file.write_bytes(content)
    truncate_partial_line(file)
    whole = [line + b"\n" for line in content.split(b"\n") if line in written]
    assert file.read_bytes() == b"".join(whole)
    assert truncate_partial_line(file) == 0


@pytest.mark.parametrize("rest", [b'{"b": "' + b"x" * 200_000, bytes(512)], ids=["long", "zeros"])
def test_what_stands_after_the_last_whole_line_is_cut_off(tmp_path: Path, rest: bytes) -> None:
    file = tmp_path / "lines"
    file.write_bytes(b'{"a": 1}\n' + rest)
    assert truncate_partial_line(file) == len(rest)
    assert file.read_bytes() == b'{"a": 1}\n'
    assert truncate_partial_line(tmp_path / "none") == 0


def test_a_line_that_finds_no_room_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    done = subprocess.run(
        [sys.executable, "-c", _FILLS_UP, file], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    number, reason = done.stdout.split(maxsplit=1)
    assert reason.strip() == "File too large"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line.get("number") for line in lines] == [*range(int(number)), None]


def test_lines_are_added_to_what_is_there(tmp_path: Path) -> None:
    for text in ('{"a": 1}', '{"a": 2}'):
        file = LineFile(tmp_path / "lines")
        file.append(text)
        file.close()
        file.close()
    assert (tmp_path / "lines").read_text() == '{"a": 1}\n{"a": 2}\n'
