"""A record is read as it was written, whatever a model or a graph put into it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.records import record_of

from retrocypher.plugins.runs.files import RECORDS, json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Round

_TEXTS = st.text(st.characters(), max_size=8) | st.sampled_from(["\ud800", "a\udfff", "\u2028", "\x00"])
_NUMBERS = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=8,
)


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
    run = tmp_path_factory.mktemp("run")
    (run / RECORDS).write_text(f"{line}\n", "utf-8")

    (streamed,) = RunLog(run).records()
    (located,) = RunLog(run).record_lines()

    assert streamed == located.record == record
    assert json_line(streamed) == json_line(located.value) == line


def test_fields_of_other_versions_stay_in_the_line(tmp_path: Any) -> None:
    line = json_line(record_of())[:-1] + ', "of_tomorrow": {"a": [1]}}'
    (tmp_path / RECORDS).write_text(f"{line}\n", "utf-8")
    (located,) = RunLog(tmp_path).record_lines()
    assert located.value["of_tomorrow"] == {"a": [1]}
    assert json_line(located.value) == line
