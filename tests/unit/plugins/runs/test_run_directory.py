"""The run directory: whole lines, written by one process, never over another run; and what is resumed."""

import json
import os
import socket
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import record_of, write_run
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.runs.files import json_line, json_page, truncate_partial_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import (
    Git,
    KeyEntry,
    Manifest,
    ModelEntry,
    code_facts,
    machine,
)
from retrocypher.plugins.runs.resume import RunKey, is_complete, named_incomplete, newest_incomplete
from retrocypher.plugins.runs.run_directory import RunDirectory, new_run_path
from retrocypher.plugins.session.resume import read_resumable

HOLDS = """
import sys
from pathlib import Path
from retrocypher.plugins.runs.run_directory import RunDirectory

run = RunDirectory(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


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
    assert log.clusters == {question.id: question.id}
    assert log.messages == {"h": asked}
    assert (log.summary.passed, log.summary_json) == (1, {"passed": 1})
    assert log.manifest == manifest
    assert "file_sha256" not in log.manifest_json["models"][1]
    assert "counts" not in log.manifest_json


def test_a_manifest_describes_the_code_outside_a_checkout_too(tmp_path: Path) -> None:
    facts = code_facts(tmp_path)
    assert facts["git"] is None
    assert facts["versions"]["neo4j-driver"]


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


KEY = RunKey({"seed": 0, "code": "a"})
SCORES = {"f1": 1.0}
FAULT = {"stage": "model", "kind": "timeout", "message": "no answer"}


def run_of(folder: Path, started: str, key: RunKey | None = KEY, **summary: Any) -> Path:
    manifest = {"started": started, **({"key": key.entry()} if key else {})}
    return write_run(folder, [record_of("a", scores=SCORES)], manifest=manifest, summary=summary or None)


def test_the_newest_incomplete_run_of_the_key(tmp_path: Path) -> None:
    assert newest_incomplete(tmp_path / "none", KEY) is None
    run_of(tmp_path / "1", "2026-01-01T00:00:00+00:00")
    newest = run_of(tmp_path / "2", "2026-01-02T00:00:00+00:00", cases=1, selected_cases=3)
    run_of(tmp_path / "3", "2026-01-03T00:00:00+00:00", RunKey({"seed": 1}))
    run_of(tmp_path / "4", "2026-01-04T00:00:00+00:00", cases=1, selected_cases=1)
    run_of(tmp_path / "5", "2026-01-05T00:00:00+00:00", key=None)
    (tmp_path / "notes.txt").write_text("no run")
    (run_of(tmp_path / "6", "2026-01-06T00:00:00+00:00") / "manifest.json").write_text("{")
    assert newest_incomplete(tmp_path, KEY) == newest


@pytest.mark.parametrize(
    ("summary", "complete"),
    [
        ({"cases": 3, "selected_cases": 3}, True),
        ({"cases": 2, "selected_cases": 3}, False),
        ({"cases": 3, "selected_cases": 3, "infrastructure_errors": 1}, False),
        ({"cases": 3, "selected_cases": 3, "lost_cases": ["c"]}, False),
        ({"cases": 0, "selected_cases": 0}, False),
        # A killed run that was judged or scored again: its summary knows its records alone.
        ({"cases": 2}, False),
        ({"cases": 3}, True),
        ({"cases": 2, "selected_cases": 2}, True),
        (None, False),
    ],
)
def test_what_is_complete(tmp_path: Path, summary: dict[str, Any] | None, complete: bool) -> None:
    manifest = {"cases": 3, "key": KEY.entry()}
    assert is_complete(RunLog(write_run(tmp_path, [], manifest=manifest, summary=summary))) is complete
    (tmp_path / "summary.json").write_text("[")
    assert not is_complete(RunLog(tmp_path))


def test_a_named_folder(tmp_path: Path) -> None:
    assert named_incomplete(tmp_path / "new", KEY) is None
    (tmp_path / "file").write_text("")
    assert named_incomplete(tmp_path / "file" / "run", KEY) is None
    assert named_incomplete(run_of(tmp_path / "1", "2026"), KEY) == tmp_path / "1"
    other = RunKey({"seed": 1, "code": "b" * 64})
    with pytest.raises(InputError, match=r"differs in: seed \(0 there, 1 here\); code\. Name another folder"):
        named_incomplete(tmp_path / "1", other)
    complete = run_of(tmp_path / "2", "2026", cases=1, selected_cases=1)
    with pytest.raises(InputError, match="holds a run already, which is complete; name another folder"):
        named_incomplete(complete, KEY)
    with pytest.raises(InputError, match="was made before runs could be resumed"):
        named_incomplete(run_of(tmp_path / "3", "2026", key=None), KEY)


def test_a_run_that_another_judge_has_judged_since_is_not_resumed(tmp_path: Path) -> None:
    facts = {"model": {"label": "j", "kind": "openai", "argument": "m"}, "api": "h/v1", "criteria": "c"}
    key = RunKey(
        {"judge": {"kind": "openai", "argument": "m", "api": "h/v1", "criteria": "c", "deepeval": "4"}}
    )
    file = {"label": "j", "kind": "gguf", "argument": "m.gguf", "file_sha256": "m"}

    def judged(folder: str, **other: Any) -> Path:
        manifest = {"started": "2026", "key": key.entry(), "judge": {**facts, **other}, "cases": 2}
        return write_run(tmp_path / folder / "run", [record_of("a", scores=SCORES)], manifest=manifest)

    for run in (judged("same"), judged("file", model=file)):
        assert newest_incomplete(run.parent, key) == named_incomplete(run, key) == run
    for run in (judged("criteria", criteria="d"), judged("other", model={**file, "file_sha256": "n"})):
        assert newest_incomplete(run.parent, key) is None
        with pytest.raises(InputError, match="which another judge has judged since"):
            named_incomplete(run, key)


def test_only_the_newest_scored_record_of_a_case_is_kept(tmp_path: Path) -> None:
    records = [
        record_of("a", scores=SCORES, answer="old"),
        record_of("b", infrastructure_error=FAULT),
        record_of("a", scores=SCORES, answer="new"),
        record_of("c", scores=SCORES),
    ]
    run = write_run(tmp_path, records, messages={"h": []})
    with (run / "records.jsonl").open("a") as file:
        file.write('{"schema_version": 1, "case_id": "d')
    seen = read_resumable(RunLog(run))
    assert (seen.lines, seen.retried, seen.dropped) == ({3, 4}, 1, True)
    (run / "summary.json").write_text("{}")
    before = (run / "records.jsonl").read_bytes()
    with RunDirectory(run, resume=True) as directory:
        assert (run / "records.jsonl").read_bytes() == before
        directory.resume(seen.lines)
        directory.write_record(json_line(record_of("b", scores=SCORES)), {"h": [], "i": []})
    kept = [(each.case_id, each.answer) for each in RunLog(run).records()]
    assert kept == [("a", "new"), ("c", None), ("b", None)]
    assert list(RunLog(run).messages) == ["h", "i"]
    assert not (run / "summary.json").exists()


def test_a_run_killed_before_its_first_record_starts_anew(tmp_path: Path) -> None:
    run = RunDirectory(tmp_path / "run")
    run.write_manifest({"started": "2026"})
    run.write_record('{"half', {})
    run.close()
    for name in ("records.jsonl", "messages.jsonl"):
        (tmp_path / "run" / name).write_text('{"half')
    (tmp_path / "run" / "summary.partial").write_text("{")
    with RunDirectory(tmp_path / "run") as begun:
        begun.write_record("{}", {})
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == ["messages.jsonl", "records.jsonl"]
    assert (tmp_path / "run" / "records.jsonl").read_text() == "{}\n"
