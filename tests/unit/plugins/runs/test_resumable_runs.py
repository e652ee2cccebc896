"""Which run is resumed, and what of it is kept."""

from pathlib import Path
from typing import Any

import pytest
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.resume import RunKey, is_complete, named_incomplete, newest_incomplete
from retrocypher.plugins.runs.run_directory import RunDirectory
from retrocypher.plugins.session.resume import read_resumable

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
