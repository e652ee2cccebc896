"""Records are read as they were written; damaged files of a run are refused with place and remedy."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support.judged import judged
from support.manifests import manifest_of
from support.records import key_score, record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.runs.files import RECORDS, json_line
from retrocypher.plugins.runs.listing import read_entry
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import InfrastructureError, Round, fields_of
from retrocypher.plugins.session.resume import read_resumable

_TEXTS = st.text(st.characters(), max_size=8) | st.sampled_from(["\ud800", "a\udfff", "\u2028", "\x00"])
_NUMBERS = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


def log_of(folder: Path, *lines: str) -> RunLog:
    write_run(folder, [])
    (folder / RECORDS).write_text("\n".join(lines), "utf-8")
    return RunLog(folder)


@given(
    rows=st.lists(st.lists(_VALUES, max_size=3), max_size=3),
    findings=st.lists(_VALUES, max_size=3),
    text=_TEXTS,
)
def test_what_is_written_is_read_and_written_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], findings: list[Any], text: str
) -> None:
    turn = Round("generator", None, text, text, findings=findings)
    record = record_of(cypher=text, rounds=[turn], execution={"status": "ok", "rows": rows})
    line = json_line(record)
    run = log_of(tmp_path_factory.mktemp("run"), line, "")

    (streamed,) = run.records()
    (located,) = run.record_lines()

    assert streamed == located.record == record
    assert json_line(streamed) == json_line(located.value) == line


@given(names=st.lists(st.text(max_size=20), max_size=5))
def test_cases_are_located_without_reading_their_records(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    lines = [json_line(record_of(name)) for name in names]
    log = log_of(tmp_path_factory.mktemp("run"), *lines, "")
    found = list(log.case_places())
    assert found == [(line.record.case_id, line.number, line.offset) for line in log.record_lines()]
    assert [place.number for place in found] == list(range(1, len(names) + 1))
    assert [json_line(log.record_at(place.number, place.offset)) for place in found] == lines


def test_cases_among_lines_of_other_writers_and_half_lines(tmp_path: Path) -> None:
    other = json.dumps(record_of("other"), default=fields_of, sort_keys=True, separators=(",", ":"))
    half = json_line(record_of("half"))[:-20]
    assert [place.case_id for place in log_of(tmp_path, other, half).case_places()] == ["other"]

    log = log_of(tmp_path, json_line(record_of("good")), half, "no record\n")
    cases = log.case_places()
    _, place = next(cases), next(cases)
    with pytest.raises(InputError, match="line 2, case half: not JSON"):
        log.record_at(place.number, place.offset)
    with pytest.raises(InputError, match="line 3: not JSON"):
        next(cases)


def test_half_a_record_at_the_end_of_a_killed_run_is_left_out(tmp_path: Path) -> None:
    file = write_run(tmp_path, [record_of("a"), record_of("b")]) / RECORDS
    whole = file.read_bytes()
    for end in range(len(whole) // 2 + 1, len(whole) - 1):
        file.write_bytes(whole[:end])
        assert [each.case_id for each in RunLog(tmp_path).records()] == ["a"]
    # Only the end of the line is missing.
    file.write_bytes(whole[:-1])
    assert [each.case_id for each in RunLog(tmp_path).records()] == ["a", "b"]


def test_records_of_earlier_versions_are_whole(tmp_path: Path) -> None:
    older = json.loads(json_line(record_of()))
    for name in ("graph_calls", "judge", "claims", "verification"):
        del older[name]
    (line,) = RunLog(write_run(tmp_path, [older])).record_lines()
    assert line.value == older
    found = line.record
    assert (found.graph_calls, found.judge, found.claims, found.verification) == ([], None, None, None)


def test_a_fault_is_found_wherever_it_happened() -> None:
    fault = {"stage": "model", "kind": "timeout", "message": "too long"}
    failed = Round("answer:claims", "h", "", None, "error", findings=[{"error": fault}])
    late = record_of(rounds=[Round("answer:text", "h", "", None, "written"), failed], scores={"f1": 1.0})
    assert late.answer_fault == InfrastructureError(**fault)
    assert not late.is_whole
    other = record_of(rounds=[Round("corrector", "h", "", None, "error")], scores={"f1": 1.0})
    assert (other.answer_fault, other.is_whole) == (None, True)
    assert not record_of(infrastructure_error=fault).is_whole


WHOLE: dict[str, Any] = json.loads(json_line(record_of("b")))
SCORES = {"f1": 1.0}


def changed(*without: str, **values: Any) -> bytes:
    kept = {name: value for name, value in WHOLE.items() if name not in without}
    return json.dumps({**kept, **values}).encode()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "not JSON"),
        (b'{"half": ', "not JSON"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 200_000, "not JSON"),
        (b"[1]", "not a JSON object"),
        (b'{"schema_version": 1}', "not a whole record: case_id is missing"),
        (changed("scores"), "not a whole record: scores is missing"),
        (changed(scores="x"), "not a whole record: scores: expected `object | null`"),
        (changed(case_id=None), "not a whole record: case_id: expected `str`, got"),
        (changed(rounds={}), "not a whole record: rounds: expected `array`, got"),
        (changed(rounds=[{"role": "x"}]), "not a whole record: rounds[0].messages_sha256 is missing"),
        (
            changed(scores={"f1": 500}),
            "not a whole record: scores.f1: expected `float` <= 1.0, and it is 500;",
        ),
        (changed(scores={"f1": -1e-9}), "scores.f1: expected `float` >= 0.0, and it is -1e-09;"),
        (changed(scores={"f1": "1.0"}), 'scores.f1: expected `float`, got `str`, and it is "1.0";'),
        (changed(scores={"f1": True}), "scores.f1: expected `float`, got `bool`, and it is true;"),
        (changed(scores={"f1": None}), "scores.f1: expected `float`, got `null`;"),
        (changed(scores={"f1": 10**400}), "scores.f1: number out of range, and it is 1000000"),
        (changed(scores={"f1": math.nan}), "not JSON (f1: NaN is no number);"),
        (changed(scores={"f1": math.inf}), "not JSON (f1: Infinity is no number);"),
        (changed(scores={"f1": 1.0, "ex": 2}), "scores.ex: expected `float` <= 1.0, and it is 2;"),
        (
            changed(scores={"f1": 1.0, "per_key": {"agents": key_score(7)}}),
            "scores.per_key[...].precision: expected `float` <= 1.0;",
        ),
        (
            changed(scores={"f1": 1.0, "per_key": {"agents": {**key_score(1), "f1": None}}}),
            "precision, recall and f1 must all be numbers, or all be null",
        ),
        (
            changed(judge={**judged(0.5), "with_reference": {**judged(0.5)["with_reference"], "score": 9.5}}),
            "judge.with_reference.score: expected `float` <= 1.0, and it is 9.5;",
        ),
        (changed(repeat=0), "repeat: expected `int` >= 1, and it is 0;"),
        (changed(passed="yes"), 'passed: expected `bool`, got `str`, and it is "yes";'),
    ],
)
def test_a_damaged_record(tmp_path: Path, line: bytes, said: str) -> None:
    run = write_run(tmp_path, [record_of("a")], messages={})
    with (run / "records.jsonl").open("ab") as file:
        file.write(line + b"\n" + json.dumps(WHOLE).encode() + b"\n")
    with pytest.raises(InputError) as refused:
        list(RunLog(run).records())
    place, _, rest = str(refused.value).partition(": ")
    assert place.removesuffix(", case b") == f"{run / 'records.jsonl'}, line 2"
    assert said in rest
    assert "restore it from a copy, or make the run again" in str(refused.value)
    with pytest.raises(InputError, match=r"line 2[:,] .*give --fresh"):
        read_resumable(RunLog(run))


@pytest.mark.parametrize("line", ["no JSON", "{}", '{"sha256": "h"}', '{"sha256": 1, "messages": []}'])
def test_damaged_messages_are_reported_before_a_run_is_resumed(tmp_path: Path, line: str) -> None:
    run = write_run(tmp_path, [record_of("a", scores=SCORES)], messages={"h": []})
    with (run / "messages.jsonl").open("a") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match=r"messages\.jsonl, line 2: .*restore it from a copy"):
        RunLog(run).messages  # noqa: B018
    with pytest.raises(InputError, match=r"messages\.jsonl, line 2: .*give --fresh"):
        read_resumable(RunLog(run))
    (run / "messages.jsonl").unlink()
    with pytest.raises(InputError, match=r"no messages\.jsonl here.*give --fresh"):
        read_resumable(RunLog(run))


def test_a_damaged_question_is_named_with_its_line(tmp_path: Path) -> None:
    run = write_run(tmp_path, [])
    (run / "questions.jsonl").write_text('{"id": "a"}\n')
    for part in ("questions", "clusters"):
        with pytest.raises(InputError, match=r"questions\.jsonl, line 1: field '.*' is missing"):
            getattr(RunLog(run), part)


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b"", b"[" * 200_000])
def test_a_damaged_manifest(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(InputError, match=r"manifest\.json: not .*; restore it from a copy, or make the run"):
        RunLog(tmp_path).manifest  # noqa: B018


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"cases": "many"}, "cases: expected `int`, got `str`"),
        ({"cases": 1, "means": {"f1": "high"}}, "means[...]: expected `float | null`, got `str`"),
        ({"cases": 1, "cells": [{"scored": []}]}, "cells[0].scored: expected `int`, got `array`"),
    ],
)
def test_a_damaged_summary(tmp_path: Path, part: dict[str, object], said: str) -> None:
    (tmp_path / "summary.json").write_text(json.dumps({"schema_version": 1, **part}))
    with pytest.raises(InputError, match=re.escape(f"{tmp_path / 'summary.json'}: {said}; ")):
        RunLog(tmp_path).summary  # noqa: B018


def test_files_of_another_schema_version_are_refused(tmp_path: Path) -> None:
    records = [record_of("a"), record_of("b", schema_version=0)]
    run = RunLog(write_run(tmp_path, records, manifest={"schema_version": 2}))
    with pytest.raises(InputError, match=r"records\.jsonl, line 2: schema version 0, .* reads 1; use the"):
        list(run.records())
    with pytest.raises(InputError, match=r"manifest\.json: schema version 2"):
        run.manifest  # noqa: B018


@pytest.mark.parametrize("command", ["report", "allure", "rescore", "summary", "judge --judge local"])
def test_what_is_not_a_run(command: str, tmp_path: Path) -> None:
    def error(path: Path) -> str:
        name, *options = command.split()
        done = CliRunner().invoke(cli, [name, str(path), *options])
        assert isinstance(done.exception, InputError), done.exception
        return str(done.exception)

    absent, file = tmp_path / "absent", tmp_path / "file"
    file.touch()
    assert error(absent) == f"{absent}: there is no such folder; name the folder of a run"
    assert error(file) == f"{file}: this is a file; name the folder of a run"
    assert re.fullmatch(rf"{tmp_path}: no \w+\.jsonl? here; name the folder of a run", error(tmp_path))
    assert [*tmp_path.iterdir()] == [file]


def test_a_list_of_runs_says_where_summary_and_records_do_not_fit(tmp_path: Path) -> None:
    summary = {"cases": 2, "means": {"f1": 0.5}}
    run = write_run(tmp_path / "run", [record_of("a"), record_of("b")], (), manifest_of(), summary)
    assert read_entry(RunLog(run)).reason is None
    lines = (run / "records.jsonl").read_text().splitlines(keepends=True)
    message = f"{run}: summary.json counts 2 cases, and records.jsonl has"
    for kept, left in ((lines[0], 1), (lines[0] + lines[1][:50], 1), ("", 0)):
        (run / "records.jsonl").write_text(kept)
        assert (read_entry(RunLog(run)).reason or "").startswith(f"{message} {left}; ")
    (run / "records.jsonl").unlink()
    assert (read_entry(RunLog(run)).reason or "").startswith(f"{message} 0; ")
