"""Records: read as they were written, located by case, and known in every version."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.files import RECORDS, json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Round, fields_of

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
    with pytest.raises(InputError, match="line 2: not JSON"):
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


def test_fields_of_later_versions_stay_in_the_line(tmp_path: Path) -> None:
    line = json_line(record_of())[:-1] + ', "of_tomorrow": {"a": [1]}}'
    (located,) = log_of(tmp_path, line, "").record_lines()
    assert located.value["of_tomorrow"] == {"a": [1]}
    assert json_line(located.value) == line


def test_records_of_earlier_versions_are_whole(tmp_path: Path) -> None:
    older = json.loads(json_line(record_of()))
    for name in ("graph_calls", "judge", "claims", "verification"):
        del older[name]
    (line,) = RunLog(write_run(tmp_path, [older])).record_lines()
    assert line.value == older
    found = line.record
    assert (found.graph_calls, found.judge, found.claims, found.verification) == ([], None, None, None)


def test_a_record_starts_with_its_schema_version_and_has_every_field() -> None:
    line = json.loads(json_line(record_of("a")))
    assert next(iter(line)) == "schema_version"
    assert set(line) == {
        *("schema_version", "case_id", "question_id", "task", "setting", "steps", "prompt", "shot", "loop"),
        *("model", "exemplar_id", "question", "reference_cypher", "rounds", "cypher", "execution", "scores"),
        *("errors", "judge", "answer", "phrasing", "claims", "infrastructure_error", "passed", "graph_calls"),
        *("verification",),
    }
