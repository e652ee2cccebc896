"""Cases found by the beginning of their lines."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.files import RECORDS, json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import fields_of


@given(names=st.lists(st.text(max_size=20), max_size=5))
def test_they_are_those_of_the_records(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    lines = [json_line(record_of(name)) for name in names]
    run = tmp_path_factory.mktemp("run")
    write_run(run, [])
    (run / RECORDS).write_text("".join(f"{line}\n" for line in lines), "utf-8")

    log = RunLog(run)
    found = list(log.case_ids())

    assert found == [(line.record.case_id, line.number, line.offset) for line in log.record_lines()]
    assert [place.number for place in found] == list(range(1, len(names) + 1))
    assert [json_line(log.record_at(place.number, place.offset)) for place in found] == lines


def test_lines_of_other_writers_and_half_lines(tmp_path: Path) -> None:
    write_run(tmp_path, [])
    other = json.dumps(
        record_of("other"), default=fields_of, sort_keys=True, indent=None, separators=(",", ":")
    )
    half = json_line(record_of("half"))[:-20]
    (tmp_path / RECORDS).write_text(f"{other}\n{half}", "utf-8")

    assert [place.case_id for place in RunLog(tmp_path).case_ids()] == ["other"]


def test_a_damaged_record_is_named_with_its_line(tmp_path: Path) -> None:
    write_run(tmp_path, [])
    good, bad = (json_line(record_of(name)) for name in ("good", "bad"))
    (tmp_path / RECORDS).write_text(f"{good}\n{bad[:-20]}\nno record\n", "utf-8")
    log = RunLog(tmp_path)
    cases = log.case_ids()
    _, place = next(cases), next(cases)

    with pytest.raises(InputError, match="line 2: not JSON"):
        log.record_at(place.number, place.offset)
    with pytest.raises(InputError, match="line 3: not JSON"):
        next(cases)
